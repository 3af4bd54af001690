"""Runs a script of comparisons with Triton's kernels interpreted, which needs no GPU."""

import importlib.util
import os
import subprocess
import sys

import pytest

needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="Triton is not installed"
)


def interpreted(script: str) -> None:
    """Run the script in a process of its own; fail with its error if it has one."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
