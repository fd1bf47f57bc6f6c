"""CPU figures of a window's samples, and coarser versions of their series."""

from __future__ import annotations

import time

from common.limits import MAX_WINDOW_SAMPLES
from sampling.kernel_samples import LOADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sampling.kernel_samples import Sample

# Most CPUs in a report: those of the largest cloud machine.
MAX_CPUS = 256
SERIES_KINDS = ("busyPercent", "softirqPercent", "stealPercent")


def cpu_usage(samples: list[Sample]) -> dict[str, Any] | None:
    """Means weighted by the samples' lengths, and the series. None without a sample."""
    if not samples:
        return None
    seconds = sum(sample["seconds"] for sample in samples)

    def mean(kind: str) -> float:
        return round(sum(sample["seconds"] * sample["cpu"][kind] for sample in samples) / seconds, 2)

    series = [
        {"at": utc(sample["end"]), **{kind: round(sample["cpu"][kind], 1) for kind in SERIES_KINDS}}
        for sample in samples
    ]
    return {
        **{kind: mean(kind) for kind in LOADS},
        "perCpu": per_cpu(samples),
        "series": thin(series, -(-len(series) // MAX_WINDOW_SAMPLES)),
    }


def utc(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def per_cpu(samples: list[Sample]) -> list[dict[str, Any]]:
    """Each CPU's median second by busy time, so that idle seconds around a test do not matter."""
    by_cpu: dict[int, list[tuple[float, float]]] = {}
    for sample in samples:
        for cpu, load in sample["perCpu"].items():
            shares = (round(load["busyPercent"], 1), round(load["softirqPercent"], 1))
            by_cpu.setdefault(int(cpu), []).append(shares)
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
