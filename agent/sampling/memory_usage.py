"""Memory figures of a window's samples."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KIBIBYTE = 1024


def memory_usage(document: Any, total: int | None) -> dict[str, dict[str, int]]:
    """Memory unavailable to programs, from a `sadf -j` document: at both ends and at its peak.

    Caches, which the kernel can free, are available. `total` is the host's, in bytes. Empty where it is
    unknown. Raises KeyError, TypeError or IndexError for other documents.
    """
    entries = [
        entry["memory"] for entry in document["sysstat"]["hosts"][0]["statistics"] if "memory" in entry
    ]
    used = [max(0, (total or 0) - entry["avail"] * KIBIBYTE) for entry in entries if entry.get("avail")]
    if not used or total is None:
        return {}
    return {"memory": {"usedBytesAtStart": used[0], "usedBytesAtEnd": used[-1], "peakUsedBytes": max(used)}}
