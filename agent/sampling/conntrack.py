"""Tracked flows during a window of samples, and flows that found no place in the table."""

from __future__ import annotations

from host.proc_files import read_count, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNTRACK_COUNT = "/proc/sys/net/netfilter/nf_conntrack_count"
CONNTRACK_LIMIT = "/proc/sys/net/netfilter/nf_conntrack_max"
CONNTRACK_STATISTICS = "/proc/net/stat/nf_conntrack"


def conntrack_failures(statistics: str) -> int | None:
    """Flows that found no place, from /proc/net/stat/nf_conntrack: a row of hexadecimal figures per CPU.

    `insert_failed` and `drop` overlap (two packets of one new flow that collide count in both), so the
    larger one counts; `early_drop` is a flow evicted from a full table for a new one.
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


def read_conntrack() -> dict[str, int]:
    """Flows tracked at present; empty where the kernel tracks none in this network namespace."""
    flows = read_count(CONNTRACK_COUNT)
    return {} if flows is None else {"conntrack": flows}


class Conntrack:
    """Tracked flows of a window, and failures since it opened."""

    def __init__(self) -> None:
        self._failures = self._read_failures()

    def summary(self, readings: list[int]) -> dict[str, Any] | None:
        """Peak, limit and failures; None where the kernel tracks nothing in this network namespace."""
        peak = max(readings, default=0)
        before, after = self._failures, self._read_failures()
        failures = None if before is None or after is None else max(0, after - before)
        # The request for these figures came over a connection: if that is not tracked, none is.
        if peak == 0 and not failures:
            return None
        return {"peak": peak, "limit": read_count(CONNTRACK_LIMIT), "failures": failures or 0}

    @staticmethod
    def _read_failures() -> int | None:
        return conntrack_failures(read_text(CONNTRACK_STATISTICS) or "")
