"""CPU figures of a window's samples, and coarser versions of their series."""

from __future__ import annotations

from common.limits import MAX_WINDOW_SAMPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Most CPUs in a report: those of the largest cloud machine.
MAX_CPUS = 256
SERIES_KINDS = ("busyPercent", "softirqPercent", "stealPercent")


def cpu_usage(document: Any) -> dict[str, Any] | None:
    """CPU figures of a `sadf -j` document: means weighted by interval, and the series. None without a sample.

    Busy is everything but idle and waiting for I/O, steal included; user includes nice and guests; system
    includes hard interrupts. Raises KeyError, TypeError or IndexError for other documents.
    """
    every = loads_of(document)
    samples = [(stamp, load) for stamp, load in every if load["cpu"] == "all"]
    if not samples:
        return None
    seconds = sum(stamp["interval"] for stamp, _ in samples) or 1

    def mean(*kinds: str) -> float:
        return round(
            sum(stamp["interval"] * sum(load[kind] for kind in kinds) for stamp, load in samples) / seconds, 2
        )

    series = [
        {
            "at": f"{stamp['date']}T{stamp['time']}Z",
            "busyPercent": round(100 - load["idle"] - load["iowait"], 1),
            "softirqPercent": round(load["soft"], 1),
            "stealPercent": round(load["steal"], 1),
        }
        for stamp, load in samples
    ]
    return {
        "busyPercent": round(100 - mean("idle", "iowait"), 2),
        "userPercent": mean("usr", "nice", "guest", "gnice"),
        "systemPercent": mean("sys", "irq"),
        "softirqPercent": mean("soft"),
        "stealPercent": mean("steal"),
        "perCpu": per_cpu([load for _, load in every if load["cpu"] != "all"]),
        "series": thin(series, -(-len(series) // MAX_WINDOW_SAMPLES)),
    }


def loads_of(document: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """All loads with their timestamps: of each CPU, and of all together."""
    return [
        (entry["timestamp"], load)
        for entry in document["sysstat"]["hosts"][0]["statistics"]
        for load in entry.get("cpu-load", [])
    ]


def per_cpu(loads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each CPU's median second by busy time, so that idle seconds around a test do not matter."""
    by_cpu: dict[int, list[tuple[float, float]]] = {}
    for load in loads:
        busy = 100 - load["idle"] - load["iowait"]
        by_cpu.setdefault(int(load["cpu"]), []).append((round(busy, 1), round(load["soft"], 1)))
    middles = {cpu: sorted(seconds)[len(seconds) // 2] for cpu, seconds in sorted(by_cpu.items())}
    return [
        {"cpu": cpu, "busyPercent": busy, "softirqPercent": softirq}
        for cpu, (busy, softirq) in middles.items()
    ][:MAX_CPUS]


def thin(series: list[dict[str, Any]], group: int) -> list[dict[str, Any]]:
    """Means of `group` neighbours each, at the first one's time."""
    if group <= 1:
        return series

    def mean(entries: list[dict[str, Any]], key: str) -> float:
        return round(sum(entry[key] for entry in entries) / len(entries), 1)

    groups = [series[start : start + group] for start in range(0, len(series), group)]
    kinds = [kind for kind in SERIES_KINDS if kind in series[0]]
    return [{"at": entries[0]["at"], **{kind: mean(entries, kind) for kind in kinds}} for entries in groups]
