"""Statistics of latencies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TENTHS = 10
# Values of up to this many bits have a bucket each.
BUCKET_BITS = 8


def latency_statistics(samples: list[float]) -> dict[str, Any]:
    """Nearest-rank percentiles and the sample standard deviation; null where there are too few samples."""
    samples = sorted(samples)
    count = len(samples)
    mean = sum(samples) / max(1, count)
    variance = sum((sample - mean) ** 2 for sample in samples) / max(1, count - 1)

    def rank(per_mille: int) -> float | None:
        # Integers: 0.999 * 1000 is more than 999 in floating point.
        return round(samples[max(1, -(-per_mille * count // 1000)) - 1], 1) if count > 0 else None

    return {
        "samples": count,
        "mean": round(mean, 1) if count > 0 else None,
        "min": rank(0),
        "max": rank(1000),
        "stddev": round(variance**0.5, 1) if count > 1 else None,
        "p50": rank(500),
        "p90": rank(900),
        "p99": rank(990),
        "p999": rank(999),
        "histogram": histogram(samples),
    }


def histogram(samples: list[float]) -> list[list[float]]:
    """The count of samples in each non-empty bucket, by the bucket's largest value; in rising order.

    Buckets are those of an HdrHistogram with two significant digits, of tenths of a unit: one each up to
    256, and twice as wide from each power of two on, so that a value is known to 0.8 %. Histograms of
    several runs add up, percentiles do not.
    """
    counts: dict[int, int] = {}
    for sample in samples:
        tenths = max(0, round(sample * TENTHS))
        shift = max(0, tenths.bit_length() - BUCKET_BITS)
        largest = ((tenths >> shift) + 1 << shift) - 1
        counts[largest] = counts.get(largest, 0) + 1
    return [[largest / TENTHS, count] for largest, count in sorted(counts.items())]
