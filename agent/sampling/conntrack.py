"""Flows that the kernel tracks while a window of samples is open, and those that found no place."""

from __future__ import annotations

import time

from host.proc_files import read_count, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNTRACK_COUNT = "/proc/sys/net/netfilter/nf_conntrack_count"
CONNTRACK_LIMIT = "/proc/sys/net/netfilter/nf_conntrack_max"
CONNTRACK_STATISTICS = "/proc/net/stat/nf_conntrack"


def conntrack_failures(statistics: str) -> int | None:
    """Flows that found no place, of /proc/net/stat/nf_conntrack: a row of hexadecimal figures a CPU.

    `insert_failed` and `drop` overlap (two packets of one new flow that collide count in both), so that the
    larger one counts; `early_drop` is a flow thrown out of a full table for a new one.
    """
    head, *rows = statistics.splitlines() or [""]
    names = head.split()
    if "insert_failed" not in names:
        return None
    total = dict.fromkeys(names, 0)
    for row in rows:
        for name, value in zip(names, row.split()):
            total[name] += int(value, 16)
    return max(total["insert_failed"], total.get("drop", 0)) + total.get("early_drop", 0)


class Conntrack:
    """Reads the number of tracked flows once a second, until it is stopped or `seconds` are over."""

    def __init__(self, seconds: float) -> None:
        import threading

        self.by_second: dict[int, int] = {}
        self._ends = time.monotonic() + seconds
        self._stopping = threading.Event()
        self._failures = self._read_failures()
        self._sample()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if self.by_second:
            self._thread.start()

    def stop(self) -> dict[str, Any] | None:
        """Peak, limit and failures; None where the kernel tracks nothing in this network namespace."""
        self._stopping.set()
        self._sample()
        if self._thread.is_alive():
            self._thread.join(1)
        peak = max(self.by_second.values(), default=0)
        before, after = self._failures, self._read_failures()
        failures = None if before is None or after is None else max(0, after - before)
        # Whoever asked for these figures came over a connection: where that is not tracked, none is.
        if peak == 0 and not failures:
            return None
        return {"peak": peak, "limit": read_count(CONNTRACK_LIMIT), "failures": failures or 0}

    def at(self, second: int, interval: int) -> int | None:
        """The most flows within the seconds that end with this one; None where none was read in them."""
        found = [self.by_second.get(each) for each in range(second - interval + 1, second + 1)]
        return max((count for count in found if count is not None), default=None)

    def _watch(self) -> None:
        while time.monotonic() < self._ends and not self._stopping.wait(1 - time.time() % 1):
            self._sample()

    def _sample(self) -> None:
        count = read_count(CONNTRACK_COUNT)
        if count is not None:
            second = int(time.time())
            self.by_second[second] = max(count, self.by_second.get(second, 0))

    @staticmethod
    def _read_failures() -> int | None:
        return conntrack_failures(read_text(CONNTRACK_STATISTICS) or "")
