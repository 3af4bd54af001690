"""The most memory this process has held since the last look."""

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Start counting the peak anew, where the system can (Linux); elsewhere it only grows."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return


def peak_mb() -> float | None:
    """Return the peak of resident memory in MB; None where the system does not tell (Windows)."""
    try:
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In bytes on macOS, in kilobytes elsewhere.
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
