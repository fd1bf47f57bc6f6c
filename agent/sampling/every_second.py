"""Figures that the samples lack, read once a second during a window of samples."""

from __future__ import annotations

import time

from common.background import Background

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

LATE_SECONDS = 3


class EverySecond:
    """Calls every reader at each whole second, until stopped or `seconds` are over.

    A reader returns its figures by name. Of several readings within one second the largest is kept: the peak of a
    level, and the latest value of a counter.
    """

    def __init__(self, readers: list[Callable[[], dict[str, int]]], seconds: float) -> None:
        import threading

        self._readers = readers
        self._by_second: dict[int, dict[str, int]] = {}
        self._ends = time.monotonic() + seconds
        self._stopping = threading.Event()
        self._sample()
        self._thread = Background(self._watch)

    def stop(self) -> None:
        """Reads once more, so that a short window has two readings."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._thread.join(5)
            self._sample()

    def known(self, name: str) -> list[int]:
        """All readings of a figure."""
        return [figures[name] for figures in self._by_second.values() if name in figures]

    def peak(self, name: str, second: int, interval: int) -> int | None:
        """Highest level in the seconds that end with this one; None where it was not read in them."""
        found = [self._by_second.get(each, {}) for each in range(second - interval + 1, second + 1)]
        return max((figures[name] for figures in found if name in figures), default=None)

    def rise(self, name: str, second: int, interval: int) -> int | None:
        """Increase of a counter in the seconds that end with this one."""
        before, after = self._latest(name, second - interval), self._latest(name, second)
        return None if before is None or after is None else max(0, after - before)

    def _latest(self, name: str, second: int) -> int | None:
        """The latest reading. One that came late, on a busy host, belongs to the second before."""
        for each in range(second, second - LATE_SECONDS, -1):
            if name in self._by_second.get(each, {}):
                return self._by_second[each][name]
        return None

    def _watch(self) -> None:
        while time.monotonic() < self._ends and not self._stopping.wait(1 - time.time() % 1):
            self._sample()

    def _sample(self) -> None:
        second = int(time.time())
        figures = self._by_second.setdefault(second, {})
        for read in self._readers:
            for name, value in read().items():
                figures[name] = max(value, figures.get(name, 0))
