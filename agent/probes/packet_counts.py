"""Packets a second of a trial at sender, NAT instances and receiver, by their kernels' counters."""

from __future__ import annotations

import json
import os

from common.checks import is_integer
from host.files import in_dir, read_json
from host.processes import NAT_HOSTS_VARIABLE
from runner.observe import ask_all
from sampling.network_usage import TOTALS, read_packets, risen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Tuple

    Readings = List[Tuple[str, Any]]
    Counts = Dict[str, int]


UDP_ERRORS = ("receiveBufferErrors", "sendBufferErrors")


class PacketCounts:
    """Counters of this host, the test's other end and the NAT instances between them, trial after trial.

    A host that does not answer is not asked again: each time would take as long as a trial.
    """

    def __init__(self, address: str, direction: str, is_udp: bool) -> None:
        port: Any = (read_json(in_dir("config.json")) or {}).get("port")
        other = {"host": "the other end", "role": "other", "address": address, "port": port}
        nat = json.loads(os.environ.get(NAT_HOSTS_VARIABLE, "[]"))
        self._hosts = [other, *nat] if is_integer(port, 1, 65535) else []
        self._ends = ("own", "other") if direction == "egress" else ("other", "own")
        self._is_udp = is_udp
        self._silent: set[str] = set()
        self._before: Readings = []

    def begin(self) -> None:
        self._before = self._read()

    def rates(self, seconds: float) -> dict[str, float | None]:
        """Packets a second of the trial, which lasted so many seconds, and drops, in the results' format.

        None where a host has no counters.
        """
        rises = [
            (role, rise_of(before, after)) for (role, before), (_, after) in zip(self._before, self._read())
        ]

        def total(role: str, figure: Callable[[Counts], float]) -> float | None:
            known = [counts for name, counts in rises if name == role]
            return None if not known or None in known else sum(figure(one) for one in known if one)

        sender, receiver = self._ends
        return {
            "sender": total(sender, lambda one: one["sentPackets"] / seconds),
            "senderDrops": total(sender, own_drops),
            "nat": total("nat", lambda one: one["receivedPackets"] / seconds),
            "natDrops": total("nat", self._nat_drops),
            "receiver": total(receiver, lambda one: one["receivedPackets"] / seconds),
            "receiverDrops": total(receiver, lambda one: one["receiveDrops"] + one["receiveBufferErrors"]),
        }

    def _nat_drops(self, counts: Counts) -> int:
        # Interfaces merge and split TCP's packets, so the counts into and out of the instance may differ.
        lost = counts["receivedPackets"] - counts["sentPackets"]
        dropped = counts["receiveDrops"] + counts["sendDrops"] + counts["queueDrops"]
        return max(0, lost) if self._is_udp else dropped

    def _read(self) -> Readings:
        asked = [host for host in self._hosts if host["address"] not in self._silent]
        replies = ask_all(asked, {"op": "packet-counters"}) if asked else []
        heard = {host["address"]: reply for host, (reply, _) in zip(asked, replies)}
        self._silent |= {address for address, reply in heard.items() if reply is None}
        others = ((host["role"], heard.get(host["address"])) for host in self._hosts)
        return [("own", read_packets()), *others]


def own_drops(counts: Counts) -> int:
    """Packets that a host dropped instead of sending. Sockets learn only of some queues' drops."""
    return counts["sendDrops"] + max(counts["sendBufferErrors"], counts["queueDrops"])


def count(value: Any) -> int:
    """A counter from another host. Raises ValueError for anything else."""
    if not is_integer(value, 0, 2**63):
        raise ValueError
    return value


def rise_of(before: Any, after: Any) -> Counts | None:
    """A host's packets and drops between two readings. None if one is missing, or a counter was reset."""
    try:
        links = [
            {name: {total: count(of[total]) for total in TOTALS} for name, of in reading["links"].items()}
            for reading in (before, after)
        ]
        errors = {name: count(after["udp"][name]) - count(before["udp"][name]) for name in UDP_ERRORS}
        errors["queueDrops"] = count(after["queueDrops"]) - count(before["queueDrops"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    rises = risen(*links)
    if not rises or any("restarted" in one for one in rises) or min(errors.values()) < 0:
        return None
    return {**errors, **{total: sum(one[total] for one in rises) for total in TOTALS}}
