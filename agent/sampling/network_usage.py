"""What goes through a host's network while a window of samples is open.

Totals are read from the kernel's counters at start and end, so that they are exact; the series comes from sysstat
with the CPU's, entry for entry; connection tracking, which sysstat does not know, is read once a second. All of it
is the network namespace's own. `sampling.py` opens and closes the windows; nothing here is run by itself.
"""

from __future__ import annotations

import re
import time

from host.proc_files import read_text
from sampling.conntrack import Conntrack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MAX_INTERFACES = 64
# Interface, packets and bytes: more than this is no counter.
MAX_COUNT = 2**63

# How neighbours in a series become one: rates average, counts add up, of a level the highest stays.
RATES = (
    "receivedBitsPerSecond",
    "sentBitsPerSecond",
    "receivedPacketsPerSecond",
    "sentPacketsPerSecond",
)
COUNTS = ("drops", "tcpRetransmits")
LEVELS = ("conntrack",)
TOTALS = ("receivedPackets", "sentPackets", "receivedBytes", "sentBytes", "receiveDrops", "sendDrops")


# --- Counters ----------------------------------------------------------------------------------------------


def link_counters(links: Any) -> dict[str, dict[str, int]]:
    """Counters by interface, of what `ip -s -d -j link show` prints. Empty where it printed something else.

    Each packet counts once: loopback is left out, and of interfaces stacked upon each other one is. A bridge's
    ports see all that it forwards, so the bridge goes; any other master (a bond; Azure's synthetic interface,
    whose virtual function is its slave) counts for its slaves, so those go, as does a VLAN beside its parent. An
    `ifb` has what another interface received already.
    """
    links = [link for link in links if "stats64" in link] if isinstance(links, list) else []
    names = {link["ifname"] for link in links}
    bridges = {link["ifname"] for link in links if kind(link) == "bridge"}
    return {
        link["ifname"]: counters(link["stats64"])
        for link in links
        if "LOOPBACK" not in link.get("flags", [])
        and link["ifname"] not in bridges
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


def risen(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    """What each interface's counters rose by; one that came in between started from 0."""
    return [
        {
            "name": name,
            **{total: max(0, now[total] - before.get(name, {}).get(total, 0)) for total in TOTALS},
        }
        for name, now in sorted(after.items())
    ][:MAX_INTERFACES]


def tcp_retransmits(snmp: str) -> int | None:
    """Of /proc/net/snmp: segments sent again by connections that end on this host."""
    rows = [line.split() for line in snmp.splitlines() if line.startswith("Tcp:")]
    values = dict(zip(*rows)) if len(rows) == 2 else {}
    return int(values["RetransSegs"]) if "RetransSegs" in values else None


def udp_errors(snmp: str) -> dict[str, int] | None:
    """Of /proc/net/snmp: datagrams that found no room in a socket of this host, received and to be sent."""
    rows = [line.split() for line in snmp.splitlines() if line.startswith("Udp:")]
    values = dict(zip(*rows)) if len(rows) == 2 else {}
    if "RcvbufErrors" not in values or "SndbufErrors" not in values:
        return None
    return {
        "receiveBufferErrors": int(values["RcvbufErrors"]),
        "sendBufferErrors": int(values["SndbufErrors"]),
    }


def softnet_drops(statistics: str) -> int | None:
    """Of /proc/net/softnet_stat: packets that a CPU's queue had no room for; a row of hexadecimal figures a CPU."""
    rows = [line.split() for line in statistics.splitlines()]
    return sum(int(row[1], 16) for row in rows) if rows and all(len(row) > 1 for row in rows) else None


def risen_by(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)


class NetworkWindow:
    """Counters as they were at its start, and the sampler. `links` is what `ip -s -d -j link show` prints."""

    def __init__(self, links: Any, max_seconds: float) -> None:
        self._before = link_counters(links)
        self._retransmits = self._read_retransmits()
        self._udp = self._read_udp()
        self._softnet = self._read_softnet()
        self._conntrack = Conntrack(max_seconds)

    def discard(self) -> None:
        self._conntrack.stop()

    def read(self, links: Any) -> dict[str, Any]:
        """The totals from start to now."""
        retransmits, udp, softnet = self._read_retransmits(), self._read_udp(), self._read_softnet()
        return {
            "interfaces": risen(self._before, link_counters(links)),
            "tcpRetransmits": risen_by(self._retransmits, retransmits),
            "udp": None
            if udp is None or self._udp is None
            else {name: risen_by(self._udp[name], value) for name, value in udp.items()},
            "softnetDrops": risen_by(self._softnet, softnet),
            "conntrack": self._conntrack.stop(),
        }

    def series(self, document: Any, totals: dict[str, Any]) -> list[dict[str, Any]]:
        """The series of a `sadf -j` document, over the interfaces that the totals have."""
        names = {interface["name"] for interface in totals["interfaces"]}
        tracked = self._conntrack if totals["conntrack"] is not None else None
        return series_of(document, names, tracked)

    @staticmethod
    def _read_udp() -> dict[str, int] | None:
        return udp_errors(read_text("/proc/net/snmp") or "")

    @staticmethod
    def _read_softnet() -> int | None:
        return softnet_drops(read_text("/proc/net/softnet_stat") or "")

    @staticmethod
    def _read_retransmits() -> int | None:
        return tcp_retransmits(read_text("/proc/net/snmp") or "")


# --- Series ------------------------------------------------------------------------------------------------


def series_of(document: Any, names: set[str], tracked: Conntrack | None) -> list[dict[str, Any]]:
    """An entry for each of `sadf -j ... -n DEV,EDEV,TCP,ETCP` that has CPU figures, so that both series agree.

    Raises KeyError, TypeError or IndexError where it is no such document.
    """
    statistics = document["sysstat"]["hosts"][0]["statistics"]
    return [
        second_of(entry["timestamp"], entry["network"], names, tracked)
        for entry in statistics
        if ("cpu-load" in entry or "cpu-load-all" in entry) and "network" in entry
    ]


def second_of(
    stamp: dict[str, Any], network: dict[str, Any], names: set[str], tracked: Conntrack | None
) -> dict[str, Any]:
    traffic = [entry for entry in network.get("net-dev", []) if entry["iface"] in names]
    errors = [entry for entry in network.get("net-edev", []) if entry["iface"] in names]
    retransmitted = network.get("net-etcp", {}).get("retrans")
    bits_per_kilobyte = 8 * 1024
    return {
        "at": f"{stamp['date']}T{stamp['time']}Z",
        "receivedBitsPerSecond": round(sum(entry["rxkB"] for entry in traffic) * bits_per_kilobyte),
        "sentBitsPerSecond": round(sum(entry["txkB"] for entry in traffic) * bits_per_kilobyte),
        "receivedPacketsPerSecond": round(sum(entry["rxpck"] for entry in traffic)),
        "sentPacketsPerSecond": round(sum(entry["txpck"] for entry in traffic)),
        "drops": round(sum(entry["rxdrop"] + entry["txdrop"] for entry in errors) * stamp["interval"]),
        "conntrack": None if tracked is None else tracked.at(unix_time(stamp), stamp["interval"]),
        "tcpRetransmits": None if retransmitted is None else round(retransmitted * stamp["interval"]),
    }


def unix_time(stamp: dict[str, Any]) -> int:
    import calendar

    return calendar.timegm(time.strptime(f"{stamp['date']} {stamp['time']}", "%Y-%m-%d %H:%M:%S"))


def thin_network(series: list[dict[str, Any]], group: int) -> list[dict[str, Any]]:
    """One entry of so many neighbours each, at the first one's time, as the CPU's series does."""
    if group <= 1:
        return series
    groups = [series[start : start + group] for start in range(0, len(series), group)]
    return [
        {
            "at": entries[0]["at"],
            **{key: round(sum(entry[key] for entry in entries) / len(entries)) for key in RATES},
            **{key: reduced(sum, entries, key) for key in COUNTS},
            **{key: reduced(max, entries, key) for key in LEVELS},
        }
        for entries in groups
    ]


def reduced(how: Any, entries: list[dict[str, Any]], key: str) -> int | None:
    known = [entry[key] for entry in entries if entry[key] is not None]
    return how(known) if known else None


# --- Another host's figures --------------------------------------------------------------------------------


def checked_usage(usage: Any) -> dict[str, Any] | None:
    """Another host's figures with the protocol's keys and no others; None where they have not its shape."""
    try:
        conntrack = usage["conntrack"]
        return {
            "interfaces": [
                {"name": name_of(entry["name"]), **{key: count(entry[key]) for key in TOTALS}}
                for entry in list_of(usage["interfaces"])[:MAX_INTERFACES]
            ],
            "tcpRetransmits": count_or_none(usage["tcpRetransmits"]),
            "udp": None
            if usage.get("udp") is None
            else {name: count(usage["udp"][name]) for name in ("receiveBufferErrors", "sendBufferErrors")},
            "softnetDrops": count_or_none(usage.get("softnetDrops")),
            "conntrack": None
            if conntrack is None
            else {
                "peak": count(conntrack["peak"]),
                "limit": count_or_none(conntrack["limit"]),
                "failures": count(conntrack["failures"]),
            },
            "series": [checked_second(entry) for entry in list_of(usage["series"])],
        }
    except (KeyError, TypeError, ValueError):
        return None


def checked_second(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "at": timestamp(entry["at"]),
        **{key: count(entry[key]) for key in (*RATES, "drops")},
        "conntrack": count_or_none(entry["conntrack"]),
        "tcpRetransmits": count_or_none(entry["tcpRetransmits"]),
    }


def list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise ValueError
    return value


def count_or_none(value: Any) -> int | None:
    return None if value is None else count(value)


def name_of(value: Any) -> str:
    """Linux's longest name of an interface has 15 bytes."""
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]{1,15}", value):
        raise ValueError
    return value


def timestamp(value: Any) -> str:
    if not isinstance(value, str) or not TIMESTAMP.fullmatch(value):
        raise ValueError
    return value
