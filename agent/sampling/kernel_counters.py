"""Counters of the kernel's network stack in this network namespace, from /proc/net and rtnetlink."""

from __future__ import annotations

from host.netlink import all_qdiscs
from host.proc_files import read_text
from sampling.counter import OTHERS_DROPS, TEST_DATAGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from sampling.counter import TestPorts


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
    """Segments resent by connections that end on this host, from /proc/net/snmp."""
    return protocol_rows(snmp).get("Tcp", {}).get("RetransSegs")


# Figures of each second: counters, and levels.
KERNEL_COUNTS = ("receiveBufferErrors", "sendBufferErrors", "softnetDrops", "queueDrops", "arrivedDatagrams")
KERNEL_LEVELS = ("queueBacklogBytes",)
# Counter that only shows how many datagrams the host sent to itself.
OWN_PACKETS = "loopbackPackets"
# Readings of two files, until two agree.
ATTEMPTS = 4


def ipv6_rows(snmp6: str) -> dict[str, int]:
    """Parses /proc/net/snmp6: a name and a figure in each row."""
    return {name: int(value) for name, value in (line.split() for line in snmp6.splitlines())}


def udp_counters(snmp: str, loopback_packets: int = 0, snmp6: str | None = None) -> dict[str, int] | None:
    """IPv4 datagrams from /proc/net/snmp: those that found no room in a socket of this host, received or to
    be sent; those sent by its programs; and those that reached the host's sockets, read or not.

    `udp_rise` subtracts datagrams that the host sent to itself.

    A full socket and full UDP memory (`MemErrors`) both drop. The other errors are damaged datagrams: wrong
    checksums, and lengths that a path truncated. Kernels before 5.11 do not count full memory, so there the
    truncated ones count as drops.

    The last figure is the packets that IP delivered less those of TCP and ICMP: the kernel counts a
    datagram as received only once it is read. TCP's counter has both families, so IPv6's packets are added
    and its other protocols' subtracted, by /proc/net/snmp6. A host without that file has no IPv6.
    """
    rows = protocol_rows(snmp)
    try:
        udp = rows["Udp"]
        full = udp["RcvbufErrors"] + udp["MemErrors"] if "MemErrors" in udp else None
        damaged = udp["InCsumErrors"] if full is None else max(0, udp["InErrors"] - full)
        return {
            "receiveBufferErrors": udp["InErrors"] - damaged,
            "sendBufferErrors": udp["SndbufErrors"],
            "damagedDatagrams": damaged,
            "fragments": rows["Ip"]["ReasmReqds"],
            "sentDatagrams": udp["OutDatagrams"],
            "arrivedDatagrams": rows["Ip"]["InDelivers"]
            + (0 if snmp6 is None else ipv6_tcp(ipv6_rows(snmp6)))
            - rows["Tcp"]["InSegs"]
            - rows["Icmp"]["InMsgs"],
            "loopbackPackets": loopback_packets,
        }
    except (KeyError, ValueError):
        return None


def ipv6_tcp(rows: dict[str, int]) -> int:
    """TCP's packets over IPv6: those that IP delivered, less ICMP's and the datagrams read or dropped."""
    datagrams = sum(rows[f"Udp6{name}"] for name in ("InDatagrams", "NoPorts", "InErrors"))
    return rows["Ip6InDelivers"] - rows["Icmp6InMsgs"] - datagrams


def udp_rise(before: dict[str, int] | None, after: dict[str, int] | None) -> dict[str, int] | None:
    """Datagrams between two readings of `read_udp`, without the host's own on its loopback interface.

    None where a reading is missing or a counter went back, by a reset or an overflow.

    The kernel counts no datagrams by interface. The host both sent and received each of its own, so there
    are at most as many as of either, and as the loopback's packets. That many are subtracted: TCP on the
    loopback hides no loss. With such TCP a few of the test's are subtracted too, at most those of the
    direction with fewer.

    Where the test's ports are counted, no more arrived than reached them. A firewall of the host may have
    dropped some of these, so the host's count is a bound too; those that reached the ports and were not
    delivered by IP are `filteredDatagrams`. They are unknown if there were fragments, since the first one
    may come alone. Damaged datagrams have not arrived. Drops of other ports' sockets are
    subtracted from the host's.
    """
    if before is None or after is None:
        return None
    rise = {name: value - before[name] for name, value in after.items() if name in before}
    others = max(0, rise.pop(OTHERS_DROPS, 0))
    if any(value < 0 for value in rise.values()):
        return None
    handed, of_test = rise["arrivedDatagrams"], rise.get(TEST_DATAGRAMS)
    own = min(rise[OWN_PACKETS], rise["sentDatagrams"], handed)
    arrived = min(handed - own, handed if of_test is None else of_test)
    return {
        "receiveBufferErrors": max(0, rise["receiveBufferErrors"] - others),
        "sendBufferErrors": rise["sendBufferErrors"],
        "sentDatagrams": rise["sentDatagrams"] - own,
        "arrivedDatagrams": max(0, arrived - rise["damagedDatagrams"]),
        "ofTestPorts": of_test is not None,
        **(
            {}
            if of_test is None or rise["fragments"] > 0
            else {"filteredDatagrams": max(0, of_test - handed)}
        ),
    }


def loopback_packets(devices: str, loopback6: str) -> int:
    """IPv4 packets of the loopback interface, from /proc/net/dev and /proc/net/dev_snmp6/lo."""
    rows = [line.partition(":") for line in devices.splitlines()]
    all_packets = [int(counters.split()[1]) for name, _, counters in rows if name.strip() == "lo"]
    ipv6 = [int(line.split()[1]) for line in loopback6.splitlines() if line.startswith("Ip6InReceives")]
    return max(0, sum(all_packets) - sum(ipv6))


def read_udp(test: TestPorts | None = None) -> dict[str, int] | None:
    """UDP's counters. Without the test's ports, the arrived datagrams include other programs'."""
    loopback = loopback_packets(read_text("/proc/net/dev") or "", read_text("/proc/net/dev_snmp6/lo") or "")
    snmp, snmp6 = read_both_families()
    udp = udp_counters(snmp, loopback, snmp6)
    return None if udp is None else {**udp, **({} if test is None else test.counters())}


def read_both_families() -> tuple[str, str | None]:
    """/proc/net/snmp and /proc/net/snmp6 of one moment, if traffic pauses within a few tries.

    The kernel reads IP's counters before TCP's.
    """
    before, both = None, ("", None)
    for _ in range(ATTEMPTS):
        before, both = both, (read_text("/proc/net/snmp") or "", read_text("/proc/net/snmp6"))
        if both == before:
            break
    return both


def softnet_drops(statistics: str) -> int | None:
    """Packets dropped by full CPU queues, from /proc/net/softnet_stat: a row of hexadecimal figures per CPU."""
    rows = [line.split() for line in statistics.splitlines()]
    return sum(int(row[1], 16) for row in rows) if rows and all(len(row) > 1 for row in rows) else None


def queue_counters(qdiscs: list[dict[str, Any]]) -> dict[str, int]:
    """Drops and backlog of the interfaces' queues, from the output of `tc -s -j qdisc show`.

    A queue within another one is counted there. Empty if the kernel listed none. An interface without a
    queue is listed too, with no drops.
    """
    queues = [one for one in qdiscs if one["root"] and one["dev"] != "lo"]
    if not queues:
        return {}
    return {
        "queueDrops": sum(one["drops"] for one in queues),
        "queueBacklogBytes": sum(one["backlog"] for one in queues),
    }


def each_second(test: TestPorts | None) -> Callable[[], dict[str, int]]:
    """A reader of these counters, by their keys in a series."""

    def read() -> dict[str, int]:
        snmp, snmp6 = read_both_families()
        udp, drops = (
            udp_counters(snmp, 0, snmp6) or {},
            softnet_drops(read_text("/proc/net/softnet_stat") or ""),
        )
        known = {name: value for name, value in udp.items() if name in KERNEL_COUNTS}
        if udp:
            known["arrivedDatagrams"] -= udp["damagedDatagrams"]
        own = {} if test is None else test.datagrams(TEST_DATAGRAMS)
        return {**known, **own, **({} if drops is None else {"softnetDrops": drops})}

    return read


def read_queues() -> dict[str, int]:
    return queue_counters(all_qdiscs())
