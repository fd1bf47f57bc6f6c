"""A host's samples: the rise of the kernel's own counters each second, by CPU and by interface."""

from __future__ import annotations

import time

from common.background import Background
from common.limits import MAX_WINDOW_SAMPLES
from host.proc_files import read_text
from sampling.kernel_counters import tcp_retransmits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple, TypedDict

    class Reading(NamedTuple):
        """One second's texts of /proc, and the time of reading: Unix time, and a monotonic clock."""

        at: float
        clock: float
        stat: str
        dev: str
        snmp: str
        meminfo: str

    class Sample(TypedDict):
        """The difference of two readings."""

        # Unix time of the end, and the whole seconds since the start.
        end: int
        seconds: int
        # Shares of a CPU's time by `LOADS`: of all CPUs together, and by a CPU's number.
        cpu: dict[str, float]
        perCpu: dict[str, dict[str, float]]
        # Memory available to programs at the end; None where the kernel does not tell.
        availableBytes: int | None
        # Traffic by interface: rates a second, and the count of `drops`.
        interfaces: dict[str, dict[str, float]]
        tcpRetransmits: int | None


# Columns of /proc/stat. `user` and `nice` include the guests' time, whose own columns follow.
CPU_COLUMNS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
# What each share of a CPU's time adds up. Busy is everything but idle and waiting for I/O.
LOADS = {
    "busyPercent": ("user", "nice", "system", "irq", "softirq", "steal"),
    "userPercent": ("user", "nice"),
    "systemPercent": ("system", "irq"),
    "softirqPercent": ("softirq",),
    "stealPercent": ("steal",),
}
# Columns of /proc/net/dev after the interface's name.
RECEIVED_BYTES, RECEIVED_PACKETS, RECEIVE_DROPS = 0, 1, 3
SENT_BYTES, SENT_PACKETS, SEND_DROPS = 8, 9, 11
KIBIBYTE = 1024
MAX_ENTRIES = 4 * MAX_WINDOW_SAMPLES


class KernelSamples:
    """Reads once a second, in a thread, which ends by itself if never stopped."""

    def __init__(self, max_seconds: float) -> None:
        import threading

        self._last = read()
        self._samples: list[Sample] = []
        self._problem: ValueError | None = None
        # A day's readings would fill the memory of a small machine.
        self._seconds = max(1, -(-int(max_seconds) // MAX_ENTRIES))
        self._over = threading.Event()
        self._ends = time.monotonic() + max_seconds
        self._thread = Background(self._collect)

    def finish(self) -> list[Sample]:
        """Ends the thread. Raises ValueError for texts that are not the kernel's."""
        now = read()
        self.discard()
        if self._problem is not None:
            raise self._problem
        # The thread may have had no processor during a short case: then the whole window is one sample.
        is_unsampled = not self._samples and now[1] - self._last[1] >= 1
        return [sample(self._last, now)] if is_unsampled else self._samples

    def discard(self) -> None:
        self._over.set()
        self._thread.join(5)

    def _collect(self) -> None:
        due = time.monotonic() + self._seconds
        while not self._over.wait(max(0.0, due - time.monotonic())) and time.monotonic() < self._ends:
            reading = read()
            try:
                self._samples.append(sample(self._last, reading))
            except (ValueError, KeyError, IndexError) as error:
                self._problem = ValueError(str(error))
                return
            self._last = reading
            due += self._seconds


def read() -> Reading:
    # Only the used part: the rest of /proc/stat grows with the machine.
    stat = (read_text("/proc/stat") or "").partition("\nintr")[0]
    files = ("/proc/net/dev", "/proc/net/snmp", "/proc/meminfo")
    texts = (stat, *(read_text(file) or "" for file in files))
    return (time.time(), time.monotonic(), *texts)  # type: ignore[return-value]


def sample(before: Any, after: Any) -> Sample:
    (_, clock_before, stat_before, dev_before, snmp_before, _) = before
    (at, clock, stat, dev, snmp, meminfo) = after
    seconds = max(clock - clock_before, 0.001)
    loads = cpu_loads(cpu_ticks(stat_before), cpu_ticks(stat))
    sent_again_before, sent_again = tcp_retransmits(snmp_before), tcp_retransmits(snmp)
    return {
        "end": int(at),
        "seconds": max(1, round(seconds)),
        "cpu": loads.pop("all"),
        "perCpu": loads,
        "availableBytes": available_bytes(meminfo),
        "interfaces": traffic(interface_counters(dev_before), interface_counters(dev), seconds),
        "tcpRetransmits": None
        if sent_again is None or sent_again_before is None
        else rise(sent_again_before, sent_again),
    }


def available_bytes(meminfo: str) -> int | None:
    _, found, rest = meminfo.partition("MemAvailable:")
    return int(rest.split()[0]) * KIBIBYTE if found else None


def cpu_ticks(stat: str) -> dict[str, dict[str, int]]:
    """Ticks by CPU; `all` is their sum."""
    rows = [line.split() for line in stat.splitlines()]
    if not rows or rows[0][0] != "cpu" or not all(name.startswith("cpu") for name, *_ in rows):
        raise ValueError(stat[:100])
    return {name[len("cpu") :] or "all": dict(zip(CPU_COLUMNS, map(int, ticks))) for name, *ticks in rows}


def cpu_loads(
    before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]
) -> dict[str, dict[str, float]]:
    return {name: cpu_load(before[name], now) for name, now in after.items() if name in before}


def cpu_load(before: dict[str, int], after: dict[str, int]) -> dict[str, float]:
    spent = {name: max(0, ticks - before[name]) for name, ticks in after.items()}
    total = sum(spent.values()) or 1
    return {load: 100 * sum(spent.get(name, 0) for name in names) / total for load, names in LOADS.items()}


def interface_counters(dev: str) -> dict[str, list[int]]:
    rows = [line.partition(":") for line in dev.splitlines() if ":" in line]
    return {name.strip(): [int(value) for value in values.split()] for name, _, values in rows}


def traffic(
    before: dict[str, list[int]], after: dict[str, list[int]], seconds: float
) -> dict[str, dict[str, float]]:
    """A new interface counts from the next second on."""
    return {
        name: traffic_of([rise(earlier, value) for value, earlier in zip(now, before[name])], seconds)
        for name, now in after.items()
        if name in before
    }


def traffic_of(counts: list[int], seconds: float) -> dict[str, float]:
    return {
        "receivedBitsPerSecond": 8 * counts[RECEIVED_BYTES] / seconds,
        "sentBitsPerSecond": 8 * counts[SENT_BYTES] / seconds,
        "receivedPacketsPerSecond": counts[RECEIVED_PACKETS] / seconds,
        "sentPacketsPerSecond": counts[SENT_PACKETS] / seconds,
        "drops": counts[RECEIVE_DROPS] + counts[SEND_DROPS],
    }


def rise(before: int, after: int) -> int:
    """The rise of a counter within about a second.

    A 32-bit counter that went back from its upper half has overflowed; any other that went back was reset.
    """
    if after >= before:
        return after - before
    return after - before + 2**32 if 2**31 <= before < 2**32 else 0
