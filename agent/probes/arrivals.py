"""Counts datagrams that one host sent and that never reached the other's program, by both hosts' kernels.

iperf3's sender and receiver do not stop at one instant: some of the last datagrams are on the way, or wait
to be read, when the receiver has counted. Its kernel counts them once they arrive.
"""

from __future__ import annotations

import socket
import time

from common.checks import is_integer
from common.errors import AgentError
from daemon.control_port import ask, local_address, read_secret
from host.files import in_dir, read_json
from sampling.counter import OTHERS_DROPS, TEST_DATAGRAMS
from sampling.kernel_counters import OWN_PACKETS, read_udp, udp_rise
from sampling.network_usage import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple

    Readings = Tuple[Optional[Dict[str, int]], Optional[Dict[str, int]]]

ASK_SECONDS = 5.0
COUNTERS = (
    *("sentDatagrams", "sendBufferErrors", "arrivedDatagrams", "receiveBufferErrors"),
    *("damagedDatagrams", "fragments"),
    OWN_PACKETS,
)
# Absent where the test's ports are not counted.
COUNTERS_OF_TEST = (TEST_DATAGRAMS, OTHERS_DROPS)


class Arrivals:
    """Counters of this host and of the test's other end, whose agent has the same port and secret as this one's."""

    def __init__(self, address: str, direction: str) -> None:
        self._address = address
        self._client_sends = direction == "egress"
        self._port: Any = (read_json(in_dir("config.json")) or {}).get("port")
        # Whether the test's own datagrams were counted where they arrive, without other programs'.
        self.is_of_test = False
        self._before = self._read()
        self.round_trip = self._round_trip()

    def lost(self) -> int | None:
        """Packets lost since the beginning, counted once all others have arrived; None where a host's
        counters are missing.
        """
        after = settled(self._read, datagrams, lambda readings: self._missing(readings) == 0)
        receiver = udp_rise(self._before[1], after[1])
        self.is_of_test = receiver is not None and bool(receiver["ofTestPorts"])
        return self._missing(after)

    def _missing(self, readings: Readings) -> int | None:
        sender, receiver = (udp_rise(before, now) for before, now in zip(self._before, readings))
        if sender is None or receiver is None:
            return None
        # Sent: those of a program, including those that met a full queue. Arrived: those that found room.
        sent = sender["sentDatagrams"] + sender["sendBufferErrors"]
        return max(0, sent - (receiver["arrivedDatagrams"] - receiver["receiveBufferErrors"]))

    def _read(self) -> Readings:
        """The sender's and the receiver's counters."""
        # The daemon counts the test's ports, which matters only for what this host receives.
        own, other = (
            read_udp() if self._client_sends else self._ask(local_address()),
            self._ask(self._address),
        )
        return (own, other) if self._client_sends else (other, own)

    def _round_trip(self) -> float:
        """Seconds to the other end and back without a load; 0 where its agent does not answer."""
        begun = time.monotonic()
        try:
            socket.create_connection((self._address, self._port), ASK_SECONDS).close()
        except (OSError, TypeError):
            return 0.0
        return time.monotonic() - begun

    def _ask(self, address: str) -> dict[str, int] | None:
        if not is_integer(self._port, 1, 65535):
            return None
        try:
            udp = ask(address, self._port, {"op": "udp-counters"}, ASK_SECONDS, read_secret()).get("udp")
        except (OSError, ValueError, AgentError):
            return None
        if not isinstance(udp, dict) or not all(is_integer(udp.get(name), 0, 2**63) for name in COUNTERS):
            return None
        known = [name for name in COUNTERS_OF_TEST if is_integer(udp.get(name), -(2**63), 2**63)]
        return {name: udp[name] for name in (*COUNTERS, *known)}


def datagrams(reading: Readings) -> list[int]:
    """The counters that stop moving once everything has arrived; TCP's move with each question."""
    return [one[name] for one in reading if one is not None for name in COUNTERS if name != OWN_PACKETS]
