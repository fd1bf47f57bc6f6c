"""Counters of the kernel's network stack, of this network namespace: what /proc/net and `tc` tell."""

from __future__ import annotations

from host.proc_files import read_text
from host.processes import json_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def protocol_rows(snmp: str) -> dict[str, dict[str, int]]:
    """Parses /proc/net/snmp: a heading and a row of figures for each protocol."""
    lines = [line.split() for line in snmp.splitlines()]
    pairs = [(names, values) for names, values in zip(lines, lines[1:]) if names[:1] == values[:1]]
    return {
        names[0].rstrip(":"): {name: int(value) for name, value in zip(names[1:], values[1:])}
        for names, values in pairs
        if names
    }


def tcp_retransmits(snmp: str) -> int | None:
    """Segments sent again by connections that end on this host, from /proc/net/snmp."""
    return protocol_rows(snmp).get("Tcp", {}).get("RetransSegs")


def udp_counters(snmp: str) -> dict[str, int] | None:
    """Datagrams from /proc/net/snmp that found no room in a socket of this host, received and to be sent; those that
    its programs sent; and those that came as far as the host, read by a program or not.

    The last are the packets that IP handed over less those of TCP and ICMP: the kernel counts a datagram as received
    only once it is read.
    """
    rows = protocol_rows(snmp)
    try:
        return {
            "receiveBufferErrors": rows["Udp"]["RcvbufErrors"],
            "sendBufferErrors": rows["Udp"]["SndbufErrors"],
            "sentDatagrams": rows["Udp"]["OutDatagrams"],
            "arrivedDatagrams": rows["Ip"]["InDelivers"] - rows["Tcp"]["InSegs"] - rows["Icmp"]["InMsgs"],
        }
    except KeyError:
        return None


def read_udp() -> dict[str, int] | None:
    return udp_counters(read_text("/proc/net/snmp") or "")


def softnet_drops(statistics: str) -> int | None:
    """Packets that a CPU's queue had no room for, from /proc/net/softnet_stat: a row of hexadecimal figures per CPU."""
    rows = [line.split() for line in statistics.splitlines()]
    return sum(int(row[1], 16) for row in rows) if rows and all(len(row) > 1 for row in rows) else None


def queue_counters(qdiscs: Any) -> dict[str, int]:
    """Drops and backlog of the interfaces' queues, from `tc -s -j qdisc show`. A queue within another is
    counted in that."""
    roots = [one for one in qdiscs if one.get("root") is True] if isinstance(qdiscs, list) else []
    queues = [one for one in roots if one.get("kind") != "noqueue" and one.get("dev") != "lo"]
    if not queues:
        return {}
    return {
        "queueDrops": sum(int(one.get("drops", 0)) for one in queues),
        "queueBacklogBytes": sum(int(one.get("backlog", 0)) for one in queues),
    }


def read_each_second() -> dict[str, int]:
    """The keys of these counters in a series."""
    snmp, softnet = read_text("/proc/net/snmp") or "", read_text("/proc/net/softnet_stat") or ""
    udp, drops = udp_counters(snmp) or {}, softnet_drops(softnet)
    errors = {name: udp[name] for name in ("receiveBufferErrors", "sendBufferErrors") if name in udp}
    return {**errors, **({} if drops is None else {"softnetDrops": drops})}


def read_queues() -> dict[str, int]:
    return queue_counters(json_output(["tc", "-s", "-j", "qdisc", "show"], 2))
