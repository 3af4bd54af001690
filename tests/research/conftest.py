"""What the tests of the report share."""

from pathlib import Path

import pytest

from research.report.results import Results, read_results
from tests.research.made_up import everything


@pytest.fixture(scope="session")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with made-up results for every section."""
    return everything(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="session")
def results(everywhere: Path) -> Results:
    return read_results([everywhere])
