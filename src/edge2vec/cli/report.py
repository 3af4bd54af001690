"""edge2vec report: results beside the paper's, as tables, figures and one page."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

# Beside --data, the gallery shows pictures from here: the repository's own.
_SAMPLES = Path("samples")


def report_command(
    results: Annotated[
        list[Path] | None,
        Argument(metavar="RESULTS...", help="Files of JSON lines, or folders of them."),
    ] = None,
    out: Annotated[Path, Option(help="The folder to write.")] = Path("docs/results"),
    run: Annotated[
        bool, Option("--run", help="First run what the plan still needs; run again to resume.")
    ] = False,
    plan: Annotated[
        bool, Option("--plan", help="Only print the plan: each command and its state.")
    ] = False,
    plan_file: Annotated[Path | None, Option(help="Another plan, a TOML file.")] = None,
    data: Annotated[Path, Option(help="Pictures: test, train and train_large.")] = Path(
        "../shared/data"
    ),
    weights: Annotated[Path, Option(help="Weights outside the package.")] = Path("weights"),
) -> None:
    """Put results beside the paper's: tables, figures and one page."""
    from edge2vec.base.errors import Edge2VecError, Stopped
    from edge2vec.base.files import check_outputs
    from edge2vec.cli.progress import progress
    from edge2vec.report.build import files_read, files_written, write_report
    from edge2vec.report.plan import Places, described, read_plan
    from edge2vec.report.running import run_plan

    folders = results or [out / "data"]
    steps = read_plan(Places(folders[0], data, weights), file=plan_file)
    if plan:
        print(described(steps))
        return
    if run and folders[0].is_file():
        raise Edge2VecError(f"--run with {folders[0]}; expected a folder that results go to")
    check_outputs(
        "report",
        reads=files_read(folders, plan_file=plan_file, weights=weights),
        writes=files_written(out),
    )
    try:
        failed = run_plan(steps, say=_say) if run else []
    except KeyboardInterrupt:
        raise Stopped("what was finished is kept") from None
    with progress() as show:
        sections = write_report(
            folders, out, weights=weights, pictures=(data, _SAMPLES), report=show
        )
    print(f"wrote {out / 'index.html'}: {', '.join(section.name for section in sections)}")
    if failed:
        raise Edge2VecError(f"{len(failed)} steps of the plan failed: {'; '.join(failed)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
