"""Memory figures of sysstat's documents, and those that another host sent."""

from __future__ import annotations

from common.checks import is_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = ("usedBytesAtStart", "usedBytesAtEnd", "peakUsedBytes")
KIBIBYTE = 1024
# More than any machine has.
MAX_BYTES = 2**60


def memory_usage(document: Any, total: int | None) -> dict[str, dict[str, int]]:
    """Memory not available to programs, from a `sadf -j` document: at both ends and at its most.

    Caches, which the kernel gives back, are available. `total` is the host's, in bytes. Nothing where it is not
    known.
    Raises KeyError, TypeError or IndexError where it is no such document.
    """
    entries = [
        entry["memory"] for entry in document["sysstat"]["hosts"][0]["statistics"] if "memory" in entry
    ]
    used = [max(0, (total or 0) - entry["avail"] * KIBIBYTE) for entry in entries if entry.get("avail")]
    if not used or total is None:
        return {}
    return {"memory": {"usedBytesAtStart": used[0], "usedBytesAtEnd": used[-1], "peakUsedBytes": max(used)}}


def checked(usage: Any) -> dict[str, int] | None:
    """Another host's figures with these keys and no others; None where they have not this shape."""
    if not isinstance(usage, dict) or not all(is_integer(usage.get(kind), 0, MAX_BYTES) for kind in KINDS):
        return None
    return {kind: usage[kind] for kind in KINDS}
