import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A pool like that of `run_jobs`, whose only worker tells its number.
_POOL = """
import multiprocessing, os, time
from concurrent.futures import ProcessPoolExecutor
from edge2vec.evaluation.run import _begin_worker
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, context, _begin_worker, (1,))
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(_POOL, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while _runs(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(worker)


def _runs(process: int) -> bool:
    """Return whether a process is alive; one that nobody has collected yet is not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(") ")[2][:1] != "Z"
