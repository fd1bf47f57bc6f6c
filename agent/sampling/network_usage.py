"""A host's network traffic during a window of samples.

Totals are read from the kernel's counters at start and end, so they are exact; the series comes from the
CPU's samples, entry for entry; figures that those lack are read once a second. Everything is the network
namespace's own. `windows.py` opens and closes the windows; nothing here runs by itself.
"""

from __future__ import annotations

import time

from host.netlink import all_links
from host.proc_files import read_text
from sampling.conntrack import Conntrack, read_conntrack
from sampling.counter import TEST_DATAGRAMS
from sampling.cpu_usage import utc
from sampling.every_second import EverySecond
from sampling.flows import FLOW_LEVELS, Flows
from sampling.kernel_counters import (
    KERNEL_COUNTS,
    KERNEL_LEVELS,
    each_second,
    read_queues,
    read_udp,
    softnet_drops,
    tcp_retransmits,
    udp_rise,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from sampling.counter import TestPorts
    from sampling.flows import Ports
    from sampling.kernel_samples import Sample

MAX_INTERFACES = 64

# How neighbours in a series merge: rates average, counts add up, levels keep the highest.
RATES = (
    "receivedBitsPerSecond",
    "sentBitsPerSecond",
    "receivedPacketsPerSecond",
    "sentPacketsPerSecond",
)
COUNTS = ("drops", "tcpRetransmits")
LEVELS = ("conntrack",)
# Omitted from a series in which they never exceed an idle host's, 0 if not named.
RARE_COUNTS = KERNEL_COUNTS
RARE_LEVELS = (*KERNEL_LEVELS, *FLOW_LEVELS)
RARE = (*RARE_COUNTS, *RARE_LEVELS)
# Datagrams of DNS and NTP, where the test's ports are not counted separately.
IDLE_OF_ALL = {"arrivedDatagrams": 50}
TOTALS = ("receivedPackets", "sentPackets", "receivedBytes", "sentBytes", "receiveDrops", "sendDrops")


# A queue on the way may hold datagrams when a test is over: what comes behind a silence, or later than this, is lost.
# On a link of 8 kbit/s a datagram of 1000 bytes comes each second.
SILENCE_SECONDS = 1.1
DRAIN_SECONDS = 3.0
POLL_SECONDS = 0.1


# --- Counters ----------------------------------------------------------------------------------------------


def link_counters(links: Any) -> dict[str, dict[str, int]]:
    """Counters by interface, from the output of `ip -s -d -j link show`; empty for other output.

    Each packet counts once: loopback is left out, and so is one of two stacked interfaces. A bridge's
    ports see everything it forwards, so the bridge goes; any other master (a bond; Azure's synthetic
    interface, whose virtual function is its slave) counts for its slaves, so those go, like a VLAN beside
    its parent. An `ifb` repeats what another interface received, and the link of a NAT instance's test of
    its own forwarding (`set-up/check-network.sh`) what its inside interface does.
    """
    links = [link for link in links if "stats64" in link] if isinstance(links, list) else []
    names = {link["ifname"] for link in links}
    bridges = {link["ifname"] for link in links if kind(link) == "bridge"}
    return {
        link["ifname"]: {"index": link.get("ifindex", 0), **counters(link["stats64"])}
        for link in links
        if "LOOPBACK" not in link.get("flags", [])
        and link["ifname"] not in {*bridges, "ebcheck0"}
        and link.get("master") in {None, *bridges}
        and kind(link) != "ifb"
        and not (kind(link) in ("vlan", "macvlan", "ipvlan") and link.get("link") in names)
    }


def kind(link: dict[str, Any]) -> str | None:
    return link.get("linkinfo", {}).get("info_kind")


def counters(statistics: dict[str, Any]) -> dict[str, int]:
    received, sent = statistics["rx"], statistics["tx"]
    return {
        "receivedPackets": received["packets"],
        "sentPackets": sent["packets"],
        "receivedBytes": received["bytes"],
        "sentBytes": sent["bytes"],
        "receiveDrops": received["dropped"],
        "sendDrops": sent["dropped"],
    }


def read_packets() -> dict[str, Any]:
    """This host's counters at once: its interfaces, their queues, and UDP."""
    return {"links": link_counters(all_links()), "queueDrops": read_queue_drops(), "udp": read_udp()}


def read_queue_drops() -> int | None:
    return read_queues().get("queueDrops")


def risen(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    """Increase of each interface's counters; a new one started from 0.

    A counter that went back, or another index, shows that the interface was remade: its counts are those
    since then, and `restarted` says that they are incomplete.
    """
    return [rise_of(name, before.get(name, {}), now) for name, now in sorted(after.items())][:MAX_INTERFACES]


def rise_of(name: str, before: dict[str, int], now: dict[str, int]) -> dict[str, Any]:
    is_another = before.get("index") != now.get("index") and before != {}
    if is_another or any(now[total] < before.get(total, 0) for total in TOTALS):
        return {"name": name, **{total: now[total] for total in TOTALS}, "restarted": True}
    return {"name": name, **{total: now[total] - before.get(total, 0) for total in TOTALS}}


def risen_by(before: int | None, after: int | None) -> int | None:
    """The increase.

    None where a reading is missing, or where the counter went back, by a reset or an overflow.
    """
    return None if before is None or after is None or after < before else after - before


def risen_through(readings: list[int | None]) -> int | None:
    """The rise from the first reading to the last.

    None where one is missing, or where the counter was reset in between: by the end it may have passed its
    first value again.
    """
    rises = [risen_by(before, after) for before, after in zip(readings, readings[1:])]
    return None if None in rises else sum(rise for rise in rises if rise is not None)


class NetworkWindow:
    """Counters at the window's start, and readings once a second.

    `links` is the output of `ip -s -d -j link show`; `ports` are the test's own, whose connections are
    read; `datagrams` counts UDP's.
    """

    def __init__(
        self, links: Any, max_seconds: float, ports: Ports, datagrams: TestPorts | None = None
    ) -> None:
        self._before = link_counters(links)
        self._retransmits = self._read_retransmits()
        self._datagrams = datagrams
        self._udp = read_udp(datagrams)
        self._softnet = self._read_softnet()
        self._queue_drops = read_queue_drops()
        self._conntrack = Conntrack()
        self._flows = Flows(ports) if ports else None
        flows = [self._flows.sample] if self._flows is not None else []
        self._each_second = EverySecond(
            [read_conntrack, each_second(datagrams), read_queues, *flows], max_seconds
        )

    def discard(self) -> None:
        self._each_second.stop()

    def drain(self) -> None:
        """Waits until no more datagrams come, or leave, if any came in the window."""
        if came(self._udp) != came(read_udp(self._datagrams)):
            settled(lambda: [came(read_udp(self._datagrams)), read_queues().get("queueBacklogBytes")])

    def read(self, links: Any) -> dict[str, Any]:
        """The totals from the start until now."""
        retransmits, udp, softnet = self._read_retransmits(), read_udp(self._datagrams), self._read_softnet()
        queue_drops = read_queue_drops()
        self._each_second.stop()
        return {
            "interfaces": risen(self._before, link_counters(links)),
            "tcpRetransmits": risen_by(self._retransmits, retransmits),
            "udp": udp_rise(self._udp, udp),
            "softnetDrops": risen_by(self._softnet, softnet),
            "queueDrops": risen_through(
                [self._queue_drops, *self._each_second.known("queueDrops"), queue_drops]
            ),
            "conntrack": self._conntrack.summary(self._each_second.known("conntrack")),
        }

    def peers(self) -> list[dict[str, Any]]:
        """Peers of connections to the test's ports on this host."""
        found = () if self._flows is None else self._flows.peers
        return [{"protocol": protocol, "address": address, "port": port} for protocol, address, port in found]

    def series(self, samples: list[Sample], totals: dict[str, Any]) -> list[dict[str, Any]]:
        """An entry for each sample, over the interfaces in the totals."""
        names = {interface["name"] for interface in totals["interfaces"]}
        idle = {} if self._each_second.known(TEST_DATAGRAMS) else IDLE_OF_ALL
        is_tracking = totals["conntrack"] is not None
        series = [
            {**second_of(sample, names), **read_in(sample, self._each_second, is_tracking)}
            for sample in samples
        ]
        return without_idle(series, idle)

    @staticmethod
    def _read_softnet() -> int | None:
        return softnet_drops(read_text("/proc/net/softnet_stat") or "")

    @staticmethod
    def _read_retransmits() -> int | None:
        return tcp_retransmits(read_text("/proc/net/snmp") or "")


def came(udp: dict[str, int] | None) -> int | None:
    """Datagrams of the test's ports, also those that the host forwards; all that arrived if none are counted apart."""
    return None if udp is None else udp.get(TEST_DATAGRAMS, udp["arrivedDatagrams"])


def settled(
    read: Callable[[], Any],
    part: Callable[[Any], Any] = lambda reading: reading,
    is_all: Callable[[Any], bool] = lambda _: False,
) -> Any:
    """A reading once all has come, or a part of it stands still; nothing is on the way any more then."""
    now, reading = time.monotonic(), read()
    end, changed = now + DRAIN_SECONDS, now
    while now < min(end, changed + SILENCE_SECONDS) and not is_all(reading):
        time.sleep(POLL_SECONDS)
        last, reading, now = reading, read(), time.monotonic()
        if part(reading) != part(last):
            changed = now
    return reading


# --- Series ------------------------------------------------------------------------------------------------


def second_of(sample: Sample, names: set[str]) -> dict[str, Any]:
    """A sample's traffic over these interfaces."""
    traffic = [counted for name, counted in sample["interfaces"].items() if name in names]
    return {
        "at": utc(sample["end"]),
        **{kind: round(sum(counted[kind] for counted in traffic)) for kind in (*RATES, "drops")},
        "tcpRetransmits": sample["tcpRetransmits"],
    }


def read_in(sample: Sample, read: EverySecond, is_tracking: bool) -> dict[str, Any]:
    """Readings during one sample."""
    second, seconds = sample["end"], sample["seconds"]
    counts = {name: read.rise(name, second, seconds) for name in RARE_COUNTS}
    arrived, of_test = counts["arrivedDatagrams"], read.rise(TEST_DATAGRAMS, second, seconds)
    return {
        "conntrack": read.peak("conntrack", second, seconds) if is_tracking else None,
        **counts,
        # A firewall of the host drops some datagrams that reached the test's ports.
        "arrivedDatagrams": arrived if arrived is None or of_test is None else min(arrived, of_test),
        **{name: read.peak(name, second, seconds) for name in RARE_LEVELS},
    }


def without_idle(series: list[dict[str, Any]], most: dict[str, int]) -> list[dict[str, Any]]:
    """The series without rare figures that were idle or unknown in every second, to save space in the report."""
    idle = [name for name in RARE if all((entry[name] or 0) <= most.get(name, 0) for entry in series)]
    return [{name: value for name, value in entry.items() if name not in idle} for entry in series]


def thin_network(series: list[dict[str, Any]], group: int) -> list[dict[str, Any]]:
    """One entry for `group` neighbours each, at the first one's time, like the CPU's series."""
    if group <= 1:
        return series
    groups = [series[start : start + group] for start in range(0, len(series), group)]
    return [
        {
            "at": entries[0]["at"],
            **{key: round(sum(entry[key] for entry in entries) / len(entries)) for key in RATES},
            **{key: reduced(sum, entries, key) for key in (*COUNTS, *RARE_COUNTS) if key in entries[0]},
            **{key: reduced(max, entries, key) for key in (*LEVELS, *RARE_LEVELS) if key in entries[0]},
        }
        for entries in groups
    ]


def reduced(how: Any, entries: list[dict[str, Any]], key: str) -> int | None:
    known = [entry[key] for entry in entries if entry[key] is not None]
    return how(known) if known else None
