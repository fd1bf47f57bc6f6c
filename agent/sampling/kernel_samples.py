"""A host's samples: the kernel's own counters each second, in the format of sysstat's `sadf -j`.

Read here, not by sysstat: its collector and `sadf` are two processes per host and case.
"""

from __future__ import annotations

import time

from common.background import Background
from common.limits import MAX_WINDOW_SAMPLES
from host.proc_files import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    class Reading(NamedTuple):
        """One second's texts of /proc, and the time of reading: Unix time, and a monotonic clock."""

        at: float
        clock: float
        stat: str
        dev: str
        snmp: str
        meminfo: str


# Columns of /proc/stat. `user` includes the guests' time, `nice` that of nice guests.
CPU_COLUMNS = (
    "user",
    "nice",
    "system",
    "idle",
    "iowait",
    "irq",
    "softirq",
    "steal",
    "guest",
    "guestNice",
)
# Columns of /proc/net/dev after the interface's name.
RECEIVED_BYTES, RECEIVED_PACKETS, RECEIVE_DROPS = 0, 1, 3
SENT_BYTES, SENT_PACKETS, SEND_DROPS = 8, 9, 11
BYTES_PER_KILOBYTE = 1024
MAX_ENTRIES = 4 * MAX_WINDOW_SAMPLES


class KernelSamples:
    """Reads once a second, in a thread, which ends by itself if never stopped."""

    def __init__(self, max_seconds: float) -> None:
        import threading

        self._last = read()
        self._entries: list[dict[str, Any]] = []
        self._problem: ValueError | None = None
        # A day's readings would fill the memory of a small machine.
        self._seconds = max(1, -(-int(max_seconds) // MAX_ENTRIES))
        self._over = threading.Event()
        self._ends = time.monotonic() + max_seconds
        self._thread = Background(self._collect)

    def document(self) -> Any:
        """Ends the thread; returns a document in `sadf -j`'s format.

        Raises ValueError for texts that are not the kernel's.
        """
        now = read()
        self.discard()
        if self._problem is not None:
            raise self._problem
        # The thread may have had no processor during a short case: then the whole window is one sample.
        is_unsampled = not self._entries and now[1] - self._last[1] >= 1
        entries = [entry_of(self._last, now)] if is_unsampled else self._entries
        return {"sysstat": {"hosts": [{"statistics": entries}]}}

    def discard(self) -> None:
        self._over.set()
        self._thread.join(5)

    def _collect(self) -> None:
        due = time.monotonic() + self._seconds
        while not self._over.wait(max(0.0, due - time.monotonic())) and time.monotonic() < self._ends:
            reading = read()
            try:
                self._entries.append(entry_of(self._last, reading))
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


def entry_of(before: Any, after: Any) -> dict[str, Any]:
    """sysstat's figures from two readings: rates a second, and percentages of all CPUs."""
    from sampling.kernel_counters import tcp_retransmits

    (_, clock_before, stat_before, dev_before, snmp_before, _) = before
    (at, clock, stat, dev, snmp, meminfo) = after
    seconds = max(clock - clock_before, 0.001)
    date, _, time_of_day = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)).partition(" ")
    sent_again_before, sent_again = tcp_retransmits(snmp_before), tcp_retransmits(snmp)
    traffic, errors = interface_rates(interface_counters(dev_before), interface_counters(dev), seconds)
    return {
        "timestamp": {"date": date, "time": time_of_day, "interval": max(1, round(seconds))},
        "cpu-load": cpu_loads(cpu_ticks(stat_before), cpu_ticks(stat)),
        **available_memory(meminfo),
        "network": {
            "net-dev": traffic,
            "net-edev": errors,
            **(
                {}
                if sent_again is None or sent_again_before is None
                else {"net-etcp": {"retrans": rise(sent_again_before, sent_again) / seconds}}
            ),
        },
    }


def available_memory(meminfo: str) -> dict[str, dict[str, int]]:
    """Kibibytes available to programs."""
    _, found, rest = meminfo.partition("MemAvailable:")
    return {"memory": {"avail": int(rest.split()[0])}} if found else {}


def cpu_ticks(stat: str) -> dict[str, dict[str, int]]:
    """Ticks by name of CPU; `all` is their sum."""
    rows = [line.split() for line in stat.splitlines()]
    if not rows or rows[0][0] != "cpu" or not all(name.startswith("cpu") for name, *_ in rows):
        raise ValueError(stat[:100])
    return {name[len("cpu") :] or "all": dict(zip(CPU_COLUMNS, map(int, ticks))) for name, *ticks in rows}


def cpu_loads(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    return [{"cpu": name, **cpu_percent(before[name], now)} for name, now in after.items() if name in before]


def cpu_percent(before: dict[str, int], after: dict[str, int]) -> dict[str, float]:
    spent = {name: max(0, ticks - before.get(name, 0)) for name, ticks in after.items()}
    guest, nice_guest = spent.pop("guest", 0), spent.pop("guestNice", 0)
    total = sum(spent.values()) or 1
    shares = {
        "usr": spent["user"] - guest,
        "nice": spent["nice"] - nice_guest,
        "sys": spent["system"],
        "idle": spent["idle"],
        "iowait": spent["iowait"],
        "irq": spent["irq"],
        "soft": spent["softirq"],
        "steal": spent.get("steal", 0),
        "guest": guest,
        "gnice": nice_guest,
    }
    return {name: round(100 * max(0, ticks) / total, 2) for name, ticks in shares.items()}


def interface_counters(dev: str) -> dict[str, list[int]]:
    rows = [line.partition(":") for line in dev.splitlines() if ":" in line]
    return {name.strip(): [int(value) for value in values.split()] for name, _, values in rows}


def interface_rates(
    before: dict[str, list[int]], after: dict[str, list[int]], seconds: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Traffic and drops under sysstat's names; a new interface counts from the next second on."""
    traffic: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for name, now in after.items():
        if name not in before:
            continue
        rates = [rise(earlier, value) / seconds for value, earlier in zip(now, before[name])]
        traffic.append(
            {
                "iface": name,
                "rxpck": rates[RECEIVED_PACKETS],
                "txpck": rates[SENT_PACKETS],
                "rxkB": rates[RECEIVED_BYTES] / BYTES_PER_KILOBYTE,
                "txkB": rates[SENT_BYTES] / BYTES_PER_KILOBYTE,
            }
        )
        errors.append({"iface": name, "rxdrop": rates[RECEIVE_DROPS], "txdrop": rates[SEND_DROPS]})
    return traffic, errors


def rise(before: int, after: int) -> int:
    """The rise of a counter within about a second.

    A 32-bit counter that went back from its upper half has overflowed; any other that went back was reset.
    """
    if after >= before:
        return after - before
    return after - before + 2**32 if 2**31 <= before < 2**32 else 0
