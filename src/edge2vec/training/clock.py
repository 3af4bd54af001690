"""Time spent training."""

import time


class Clock:
    """Seconds spent training; stands still while something else goes on."""

    def __init__(self) -> None:
        """Start at 0, standing still."""
        self._before, self._lap = 0.0, 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """Return the time that has passed while it ran."""
        running = 0.0 if self._since is None else time.perf_counter() - self._since
        return self._before + running

    def set(self, seconds: float) -> None:
        """Stand still at this time."""
        self._before, self._lap, self._since = seconds, seconds, None

    def go(self) -> None:
        """Run, if it does not already."""
        if self._since is None:
            self._since = time.perf_counter()

    def stop(self) -> None:
        """Stand still."""
        self._before, self._since = self.seconds, None

    def lap(self, count: int) -> float:
        """Return how many of `count` things a second were done since the last lap; 0 if no time."""
        spent, self._lap = self.seconds - self._lap, self.seconds
        return count / spent if spent > 0 else 0.0
