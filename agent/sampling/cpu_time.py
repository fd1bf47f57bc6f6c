"""CPU time that a machine has used since boot, on which burst credits are spent.

`windows.py` reads it at both ends of a window of samples; nothing here runs by itself.
"""

from __future__ import annotations

import os


def read() -> dict[str, float] | None:
    """Seconds since boot, seconds of work of all CPUs together, and interrupts; None where the kernel does
    not tell.
    """
    try:
        with open("/proc/uptime", encoding="ascii") as uptime, open("/proc/stat", encoding="ascii") as stat:
            return since_boot(uptime.read(), stat.read(), os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None


def since_boot(uptime: str, stat: str, ticks_per_second: int) -> dict[str, float]:
    """CPU time from /proc/uptime and /proc/stat. Idle, I/O wait and stolen time are no work; `user` includes
    guests' time.

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
