"""Reads interfaces, queues and the generation of firewall rules from the kernel over netlink(7).

The same as `ip -s -d -j link show` and `tc -s -j qdisc show` print, as far as the agent reads it. Those
cost a process each, at both ends of every case and once a second in between.
"""

from __future__ import annotations

import os
import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

# linux/netlink.h, linux/rtnetlink.h
ROUTE, NETFILTER = 0, 12
REQUEST, ACKNOWLEDGE, DUMP = 0x1, 0x4, 0x300
DONE, ERROR = 3, 2
GET_LINK, GET_QDISC = 18, 38
HEADER = struct.Struct("=IHHII")
ATTRIBUTE = struct.Struct("=HH")
TYPE_MASK = 0x3FFF
# linux/if_link.h
LINK_HEADER = struct.Struct("=BxHiII")
IFNAME, MTU, LINK, QDISC, MASTER, LINKINFO, STATS64, LINK_NAMESPACE = 3, 4, 5, 6, 10, 18, 23, 37
INFO_KIND = 1
STATISTICS = struct.Struct("=8Q")
LOOPBACK = 0x8
# linux/pkt_sched.h, linux/gen_stats.h
QDISC_HEADER = struct.Struct("=B3xiIII")
KIND, STATS2 = 1, 7
STATS_QUEUE = 3
QUEUE = struct.Struct("=III")
ROOT = 0xFFFFFFFF

# linux/netfilter/nfnetlink.h, linux/netfilter/nf_tables.h
GET_GENERATION = 10 << 8 | 16
NETFILTER_HEADER = struct.Struct("!BBH")
GENERATION = 1

RECEIVE_BYTES = 256 * 1024
SECONDS = 5.0


def all_links() -> list[dict[str, Any]] | None:
    """Interfaces with their counters and their stacking; None where the kernel cannot tell."""
    try:
        found = [
            link_of(body)
            for body in ask(ROUTE, GET_LINK, DUMP, LINK_HEADER.pack(socket.AF_UNSPEC, 0, 0, 0, 0))
        ]
    except (OSError, struct.error, IndexError, KeyError, ValueError):
        return None
    names = {index: link["ifname"] for index, link in found}
    for _, link in found:
        for end in ("master", "link"):
            link[end] = names.get(link[end])
    return [link for _, link in found]


def all_qdiscs() -> list[dict[str, Any]]:
    """Queues of the interfaces, with drops and backlog; none where the kernel cannot tell."""
    names = dict(socket.if_nameindex())
    try:
        found = [
            qdisc_of(body)
            for body in ask(ROUTE, GET_QDISC, DUMP, QDISC_HEADER.pack(socket.AF_UNSPEC, 0, 0, 0, 0))
        ]
    except (OSError, struct.error, IndexError, KeyError, ValueError):
        return []
    return [{**qdisc, "dev": names[index]} for index, qdisc in found if index in names]


def rules_generation() -> int | None:
    """Generation of this network's nftables rules, which changes with every change; None where the kernel has
    none.
    """
    try:
        header = NETFILTER_HEADER.pack(socket.AF_UNSPEC, 0, 0)
        for body in ask(NETFILTER, GET_GENERATION, ACKNOWLEDGE, header):
            found = dict(attributes(body[NETFILTER_HEADER.size :]))
            return int.from_bytes(found[GENERATION], "big")
    except (OSError, struct.error, KeyError, ValueError):
        pass
    return None


def link_of(body: bytes) -> tuple[int, dict[str, Any]]:
    """An interface's number, and the facts that `ip` prints of it; its master and its link as numbers."""
    _, _, index, flags, _ = LINK_HEADER.unpack_from(body)
    found = dict(attributes(body[LINK_HEADER.size :]))
    information = dict(attributes(found.get(LINKINFO, b"")))
    (received, sent, received_bytes, sent_bytes, _, _, received_drops, sent_drops) = STATISTICS.unpack_from(
        found[STATS64]
    )
    return index, {
        "ifindex": index,
        "ifname": text(found[IFNAME]),
        "flags": ["LOOPBACK"] if flags & LOOPBACK else [],
        "mtu": number(found[MTU]),
        "qdisc": text(found[QDISC]) if QDISC in found else None,
        "master": number(found[MASTER]) if MASTER in found else None,
        # In another namespace the number belongs to another interface.
        "link": number(found[LINK]) if LINK in found and LINK_NAMESPACE not in found else None,
        "linkinfo": {"info_kind": text(information[INFO_KIND])} if INFO_KIND in information else {},
        "stats64": {
            "rx": {"packets": received, "bytes": received_bytes, "dropped": received_drops},
            "tx": {"packets": sent, "bytes": sent_bytes, "dropped": sent_drops},
        },
    }


def qdisc_of(body: bytes) -> tuple[int, dict[str, Any]]:
    """Number of a queue's interface, and the facts that `tc` prints of the queue."""
    _, index, _, parent, _ = QDISC_HEADER.unpack_from(body)
    found = dict(attributes(body[QDISC_HEADER.size :]))
    statistics = dict(attributes(found.get(STATS2, b"")))
    _, backlog, drops = QUEUE.unpack_from(statistics.get(STATS_QUEUE, bytes(QUEUE.size)))
    return index, {"kind": text(found[KIND]), "root": parent == ROOT, "drops": drops, "backlog": backlog}


def ask(family: int, kind: int, flags: int, header: bytes) -> Iterator[bytes]:
    """Bodies of the messages that answer a request. Raises OSError where the kernel refuses."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family) as sock:
        sock.settimeout(SECONDS)
        sock.bind((0, 0))
        sock.send(HEADER.pack(HEADER.size + len(header), kind, REQUEST | flags, 1, 0) + header)
        while True:
            data = sock.recv(RECEIVE_BYTES)
            while len(data) >= HEADER.size:
                length, of_kind, _, _, _ = HEADER.unpack_from(data)
                if length < HEADER.size:
                    raise ValueError("a netlink message shorter than its header")
                body, data = data[HEADER.size : length], data[aligned(length) :]
                failed = -struct.unpack_from("=i", body)[0] if of_kind == ERROR else 0
                if failed != 0:
                    raise OSError(failed, os.strerror(failed))
                if of_kind in (DONE, ERROR):
                    return
                yield body


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and content of each attribute."""
    while len(data) >= ATTRIBUTE.size:
        length, kind = ATTRIBUTE.unpack_from(data)
        if length < ATTRIBUTE.size:
            raise ValueError("a netlink attribute shorter than its header")
        yield kind & TYPE_MASK, data[ATTRIBUTE.size : length]
        data = data[aligned(length) :]


def aligned(length: int) -> int:
    return (length + 3) & ~3


def number(content: bytes) -> int:
    return struct.unpack_from("=I", content)[0]


def text(content: bytes) -> str:
    return content.split(b"\0")[0].decode("utf-8", "replace")
