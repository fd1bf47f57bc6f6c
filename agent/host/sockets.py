"""Reads this host's connections from the kernel over netlink (sock_diag(7)).

The same as `ss -tuinO state established` prints, as far as the agent reads it, without a process each
time.
"""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

from host.netlink import DUMP, ask, attributes
from host.proc_files import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    # Selects a connection by its protocol and its two ports.
    IsWanted = Callable[[str, int, int], bool]

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
SOCK_DIAG = 4
BY_FAMILY = 20
INFO = 2
WITH_INFO = 1 << (INFO - 1)
ESTABLISHED = 1 << 1
FAMILIES = (socket.AF_INET, socket.AF_INET6)
PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "udp": socket.IPPROTO_UDP}
REQUEST = struct.Struct("=BBBxI48x")
# Family, ports of both ends, and their addresses, with space for IPv6.
MESSAGE = struct.Struct("!B3xHH16s16s")
MESSAGE_BYTES = 72
ADDRESS_BYTES: dict[int, int] = {socket.AF_INET: 4, socket.AF_INET6: 16}
MAPPED = "::ffff:"
LISTS: dict[int, str] = {socket.AF_INET: "/proc/net/udp", socket.AF_INET6: "/proc/net/udp6"}
# linux/tcp.h, struct tcp_info: round trip, congestion window, acknowledged bytes and received bytes.
RTT, CWND = struct.Struct("=68xI"), struct.Struct("=80xI")
BYTES = struct.Struct("=120xQQ")


class Connection(NamedTuple):
    """A connection; in UDP, a socket bound to one peer. TCP's figures are 0 where the kernel tells none."""

    protocol: str
    address: str
    port: int
    peer: str
    peer_port: int
    rtt_us: int = 0
    cwnd: int = 0
    moved_bytes: int = 0


def connections(is_wanted: IsWanted) -> list[Connection]:
    """The wanted connections; without TCP's where the kernel has no sock_diag."""
    return [
        found
        for protocol in PROTOCOLS
        for family in FAMILIES
        for found in connections_of(protocol, family, is_wanted)
    ]


def connections_of(protocol: str, family: int, is_wanted: IsWanted) -> Iterator[Connection]:
    request = REQUEST.pack(family, PROTOCOLS[protocol], WITH_INFO, ESTABLISHED)
    try:
        for body in ask(SOCK_DIAG, BY_FAMILY, DUMP, request):
            _, port, peer_port, _, _ = MESSAGE.unpack_from(body)
            if is_wanted(protocol, port, peer_port):
                yield connection_of(protocol, body)
    except (OSError, struct.error, KeyError, ValueError):
        # A small kernel may lack UDP's part.
        if protocol == "udp":
            yield from listed(read_text(LISTS[family]) or "", is_wanted)


def listed(table: str, is_wanted: IsWanted) -> Iterator[Connection]:
    """UDP connections in /proc/net/udp or udp6."""
    for row in table.splitlines()[1:]:
        _, local, remote, state, *_ = row.split()
        (address, port), (peer, peer_port) = (end_of(end) for end in (local, remote))
        if state == "01" and is_wanted("udp", port, peer_port):
            yield Connection("udp", address, port, peer, peer_port)


def end_of(text: str) -> tuple[str, int]:
    """Address and port of a row; each word of the address is in this machine's byte order."""
    address, _, port = text.partition(":")
    words = (int(address[at : at + 8], 16) for at in range(0, len(address), 8))
    content = b"".join(struct.pack("=I", word) for word in words)
    family = socket.AF_INET if len(content) == ADDRESS_BYTES[socket.AF_INET] else socket.AF_INET6
    return plain(family, content), int(port, 16)


def connection_of(protocol: str, body: bytes) -> Connection:
    """A connection from a kernel message."""
    family, port, peer_port, address, peer = MESSAGE.unpack_from(body)
    information = dict(attributes(body[MESSAGE_BYTES:])).get(INFO, b"") if protocol == "tcp" else b""
    return Connection(
        protocol,
        plain(family, address),
        port,
        plain(family, peer),
        peer_port,
        *figures_of(information),
    )


def figures_of(information: bytes) -> tuple[int, int, int]:
    """TCP's figures; an older kernel's structure is shorter."""
    if len(information) < BYTES.size:
        return 0, 0, 0
    return (
        RTT.unpack_from(information)[0],
        CWND.unpack_from(information)[0],
        sum(BYTES.unpack_from(information)),
    )


def plain(family: int, address: bytes) -> str:
    """An address without the prefix that IPv4 has on a dual-stack socket."""
    text = socket.inet_ntop(family, address[: ADDRESS_BYTES[family]])
    return text[len(MAPPED) :] if text.startswith(MAPPED) and "." in text else text
