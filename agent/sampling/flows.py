"""A test's connections by the kernel: their peers, and TCP's figures.

Read once a second. A server thus reports where data really came from, whatever the tool, and both ends
report congestion window and round trip of each second.
"""

from __future__ import annotations

from common.limits import MAX_PEERS
from host.sockets import connections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Tuple

    from host.sockets import Connection

    # Ranges of ports by protocol, both ends inclusive.
    Ports = Dict[str, List[Tuple[int, int]]]
    Key = Tuple[str, str, int, str, int]

# Least share of the busiest connection: one below it is a tool's control connection.
DATA_SHARE = 0.1
# Levels read each second.
FLOW_LEVELS = ("tcpRttUs", "tcpCwndSegments")


class Flows:
    """Connections on these ports that began after the window opened."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._moved: dict[Key, int] = {}
        self.peers: dict[tuple[str, str, int], None] = {}
        self._before: set[Key] | None = None

    def sample(self) -> dict[str, int]:
        """Mean round trip and congestion window of the connections that carry data."""
        flows = {flow[:5]: flow for flow in self._read()}
        if self._before is None:  # the window opens
            self._before = set(flows)
            return {}
        new = {key: flow for key, flow in flows.items() if key not in self._before}
        for flow in new.values():
            if covers(self._ports, flow.protocol, flow.port) and len(self.peers) < MAX_PEERS:
                self.peers[(flow.protocol, flow.peer, flow.peer_port)] = None
        rise = {key: flow.moved_bytes - self._moved.get(key, 0) for key, flow in new.items()}
        self._moved = {key: flow.moved_bytes for key, flow in new.items()}
        most = max(rise.values(), default=0)
        busy = [flow for key, flow in new.items() if rise[key] > 0 and rise[key] >= DATA_SHARE * most]
        if not busy:
            return {}
        return {
            "tcpRttUs": round(sum(flow.rtt_us for flow in busy) / len(busy)),
            "tcpCwndSegments": round(sum(flow.cwnd for flow in busy) / len(busy)),
        }

    def _read(self) -> list[Connection]:
        return connections(
            lambda protocol, *ports: any(covers(self._ports, protocol, port) for port in ports)
        )


def covers(ports: Ports, protocol: str, port: int) -> bool:
    return any(first <= port <= last for first, last in ports.get(protocol, []))
