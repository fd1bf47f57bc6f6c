"""AWS's counters of an instance's queued or dropped packets."""

from __future__ import annotations

import re
import socket

from host.interfaces import driver
from host.processes import output_of


def allowances() -> dict[str, int]:
    """Packets that AWS queued or dropped beyond the instance's allowances, of all ENA interfaces."""
    totals: dict[str, int] = {}
    for _, name in socket.if_nameindex():
        if driver(name) == "ena":
            for counter, value in allowance_counters(output_of(["ethtool", "-S", name]) or "").items():
                totals[counter] = totals.get(counter, 0) + value
    return totals


def allowance_counters(statistics: str) -> dict[str, int]:
    """Counters of `ethtool -S`: bw_in_, bw_out_, pps_, conntrack_ and linklocal_allowance_exceeded."""
    found = re.findall(r"^ *(\w+_allowance_exceeded): (\d+)$", statistics, re.MULTILINE)
    return {name: int(value) for name, value in found}
