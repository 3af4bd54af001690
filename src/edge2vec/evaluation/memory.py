"""The most memory this process has held since the last look."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Start counting the peak anew, where the system can (Linux); elsewhere it only grows."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return


def peak_mb() -> float:
    """Return the peak of resident memory in MB."""
    try:
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
