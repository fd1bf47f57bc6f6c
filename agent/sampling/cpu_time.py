"""CPU time that a machine has used since it booted: what burst credits are spent on.

`windows.py` reads it at both ends of a window of samples; nothing here is run by itself.
"""

from __future__ import annotations

import math
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A century of every CPU that one machine has today.
MAX_SECONDS = 1e13


def read() -> dict[str, float] | None:
    """Seconds since boot, what all CPUs together have worked in them, and interrupts; None where the kernel does not
    tell.
    """
    try:
        with open("/proc/uptime", encoding="ascii") as uptime, open("/proc/stat", encoding="ascii") as stat:
            return since_boot(uptime.read(), stat.read(), os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None


def since_boot(uptime: str, stat: str, ticks_per_second: int) -> dict[str, float]:
    """CPU time from /proc/uptime and /proc/stat. Idle, I/O wait and stolen time are no work; `user` has guests' time.

    Raises ValueError or IndexError for other texts.
    """
    name, *ticks = stat.partition("\n")[0].split()
    if name != "cpu":
        raise ValueError(name)
    user, nice, system, _idle, _iowait, irq, softirq = [int(value) for value in ticks[:7]]
    interrupts = next((line.split()[1] for line in stat.splitlines() if line.startswith("intr ")), None)
    return {
        **({} if interrupts is None else {"interrupts": int(interrupts)}),
        "uptimeSeconds": float(uptime.split(maxsplit=1)[0]),
        "busySeconds": (user + nice + system + irq + softirq) / ticks_per_second,
    }


def checked(times: Any) -> dict[str, dict[str, float]] | None:
    """Another host's times at start and end with these keys and no others; None where they have not this shape."""
    try:
        return {
            end: {
                key: seconds(times[end][key])
                for key in ("uptimeSeconds", "busySeconds", "interrupts")
                if key != "interrupts" or key in times[end]
            }
            for end in ("start", "end")
        }
    except (KeyError, TypeError, ValueError):
        return None


def seconds(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError
    if not math.isfinite(value) or not 0 <= value <= MAX_SECONDS:
        raise ValueError
    return value
