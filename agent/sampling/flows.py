"""Connections of a test, as the kernel's table of sockets has them: who is at their other end, and how TCP does.

Asked of `ss` once a second. So a server tells from where the data really came, whatever the tool, and both ends tell
congestion window and round trip of each second.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from common.limits import MAX_PEERS
from host.processes import output_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Tuple

    # Ranges by protocol, both ends of each included.
    Ports = Dict[str, List[Tuple[int, int]]]
    Key = Tuple[str, str, int, str, int]

MICROSECONDS_PER_MILLISECOND = 1000
# Share of the busiest connection: one with less is a tool's control connection.
DATA_SHARE = 0.1

LINE = re.compile(r"(tcp|udp)\s+\d+\s+\d+\s+(\S+):(\d+)\s+(\S+):(\d+)\s*(.*)")


class Flow(NamedTuple):
    """A connection; UDP's is a socket that is bound to one peer."""

    protocol: str
    address: str
    port: int
    peer: str
    peer_port: int
    facts: str

    def key(self) -> Key:
        return self[:5]

    def fact(self, name: str) -> float:
        """A figure of TCP's own; 0 where `ss` does not list it, which it does not of counters at 0."""
        found = re.search(rf"(?:^| ){name}:([\d.]+)", self.facts)
        return float(found.group(1)) if found else 0.0


def flows_of(table: str) -> list[Flow]:
    """Parses the output of `ss -HtuinO state established`."""
    found = [LINE.match(line) for line in table.splitlines()]
    return [
        Flow(match[1], plain(match[2]), int(match[3]), plain(match[4]), int(match[5]), match[6])
        for match in found
        if match
    ]


def plain(address: str) -> str:
    """Without the brackets and the prefix that an IPv4 address has on a socket of both families."""
    return re.sub(r"^\[(?:::ffff:)?(.*)\]$", r"\1", address)


def ss_command(ports: Ports) -> list[str]:
    ranges = sorted({(first, last) for of_one in ports.values() for first, last in of_one})
    ends = [
        f"( {end} >= :{first} and {end} <= :{last} )" for first, last in ranges for end in ("sport", "dport")
    ]
    return ["ss", "-HtuinO", "state", "established", " or ".join(ends)]


class Flows:
    """Connections on so many ports that were not there when the window was opened."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._moved: dict[Key, float] = {}
        self.peers: dict[tuple[str, str, int], None] = {}
        self._before: set[Key] | None = None

    def sample(self) -> dict[str, int]:
        """Round trip and congestion window, means of the connections that carry data, and all retransmits."""
        flows = self._read()
        if self._before is None:  # the window opens
            self._before = {flow.key() for flow in flows}
            return {}
        new = [flow for flow in flows if flow.key() not in self._before]
        for flow in new:
            if covers(self._ports, flow.protocol, flow.port) and len(self.peers) < MAX_PEERS:
                self.peers[(flow.protocol, flow.peer, flow.peer_port)] = None
        moved = {flow.key(): flow.fact("bytes_acked") + flow.fact("bytes_received") for flow in new}
        rise = {key: total - self._moved.get(key, 0) for key, total in moved.items()}
        self._moved = moved
        most = max(rise.values(), default=0)
        busy = [flow for flow in new if rise[flow.key()] > 0 and rise[flow.key()] >= DATA_SHARE * most]
        if not busy:
            return {}
        return {
            "tcpRttUs": round(
                sum(flow.fact("rtt") for flow in busy) * MICROSECONDS_PER_MILLISECOND / len(busy)
            ),
            "tcpCwndSegments": round(sum(flow.fact("cwnd") for flow in busy) / len(busy)),
        }

    def _read(self) -> list[Flow]:
        table = flows_of(output_of(ss_command(self._ports), 2) or "")
        return [
            flow
            for flow in table
            if covers(self._ports, flow.protocol, flow.port)
            or covers(self._ports, flow.protocol, flow.peer_port)
        ]


def covers(ports: Ports, protocol: str, port: int) -> bool:
    return any(first <= port <= last for first, last in ports.get(protocol, []))
