import os
import signal
import sys
from pathlib import Path

from tests.processes import runs, started, wait_until

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


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(_POOL, encoding="utf-8")
    with started([sys.executable, script], stdout=-1) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
        wait_until(lambda: not runs(worker))
