"""iperf3's JSON, reduced to what the parser of bench/tools/ needs."""

from __future__ import annotations

import json
import math

from common.texts import brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The fields that the schemas of bench/tools/iperf3/output.ts read, by place.
SUM_KEYS = [
    "seconds",
    "bytes",
    "bits_per_second",
    "retransmits",
    "jitter_ms",
    "lost_packets",
    "packets",
    "lost_percent",
]
IPERF3_KEPT = {
    "": ["start", "intervals", "end", "error"],
    "start": ["version", "test_start"],
    "start.test_start": ["protocol", "num_streams", "blksize", "reverse"],
    "intervals[]": ["sum", "sum_bidir_reverse"],
    "intervals[].sum_bidir_reverse": ["bits_per_second"],
    "intervals[].sum": ["end", "bits_per_second", "retransmits", "lost_packets", "packets"],
    "end": [
        "streams",
        "sum",
        "sum_sent",
        "sum_received",
        "sum_sent_bidir_reverse",
        "sum_received_bidir_reverse",
        "cpu_utilization_percent",
    ],
    "end.streams[]": ["sender", "receiver", "udp"],
    "end.streams[].sender": ["retransmits", "mean_rtt"],
    "end.streams[].receiver": ["bytes", "bits_per_second"],
    "end.streams[].udp": ["bits_per_second", "jitter_ms", "lost_packets", "packets", "out_of_order"],
    "end.sum": SUM_KEYS,
    "end.sum_sent": SUM_KEYS,
    "end.sum_received": SUM_KEYS,
    "end.sum_sent_bidir_reverse": SUM_KEYS,
    "end.sum_received_bidir_reverse": SUM_KEYS,
    "end.cpu_utilization_percent": ["host_total", "remote_total"],
}
IPERF3_DECIMALS = {
    "intervals[].sum.end": 2,
    "seconds": 3,
    "jitter_ms": 4,
    "lost_percent": 4,
    "host_total": 1,
    "remote_total": 1,
}


def find_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a text, whatever noise of a terminal or library stands around it."""
    try:
        document, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError, MemoryError):
        return None
    return document if isinstance(document, dict) else None


def reduce_iperf3(document: dict[str, Any]) -> dict[str, Any]:
    """Same keys and nesting, fewer of them, rounded; what is absent stays absent."""
    intervals = document.get("intervals")
    if isinstance(intervals, list):
        document = {**document, "intervals": [entry for entry in intervals if not is_omitted(entry)]}
    return keep(document, "")


def is_omitted(interval: Any) -> bool:
    total = interval.get("sum") if isinstance(interval, dict) else None
    return isinstance(total, dict) and total.get("omitted") is True


def keep(value: dict[str, Any], place: str) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key in IPERF3_KEPT[place]:
        inner = f"{place}.{key}" if place else key
        if key not in value:
            continue
        entry = value[key]
        if inner in IPERF3_KEPT:
            if isinstance(entry, dict):
                kept[key] = keep(entry, inner)
        elif f"{inner}[]" in IPERF3_KEPT:
            if isinstance(entry, list):
                kept[key] = [keep(item, f"{inner}[]") for item in entry if isinstance(item, dict)]
        elif isinstance(entry, str):
            kept[key] = brief(entry, 1000)
        elif entry is None or isinstance(entry, (bool, int, float)):
            kept[key] = rounded(entry, IPERF3_DECIMALS.get(inner, IPERF3_DECIMALS.get(key, 0)))
    return kept


def rounded(value: Any, decimals: int) -> Any:
    """NaN and infinity, which iperf3 prints when it divides by zero, become null."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return round(value, decimals) if decimals > 0 else round(value)
