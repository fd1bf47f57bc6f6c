"""Time-outs of the kernel's connections, set by netlink: `conntrack -U` 1.4.7 fails where there are some hundred."""

import socket
import struct
from typing import List, Optional

NETFILTER = 12
HEAD = struct.Struct("=IHHIIBBH")
DUMP, CHANGE, DELETE, ERROR, DONE = 0x101, 0x100, 0x102, 2, 3
TIMEOUT = 7
# Behind both headers and the client's and the server's address.
PROTOCOL_AT = 52


def head(size: int, kind: int, flags: int) -> bytes:
    return HEAD.pack(HEAD.size + size, kind, flags, 0, 0, socket.AF_INET, 0, 0)


def renew(protocol: int, below: float, seconds: Optional[int]) -> None:
    """Gives connections of a protocol that have less than `below` seconds left `seconds`; None: ends them."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER) as told, socket.socket(
        socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER
    ) as changed:
        told.settimeout(5)
        told.send(head(0, DUMP, 0x301))
        while True:
            data = told.recv(1 << 18)
            changes: List[bytes] = []
            at = 0
            while at < len(data):
                size, kind = struct.unpack_from("=IH", data, at)
                if kind in (ERROR, DONE):
                    return
                if data[at + PROTOCOL_AT] == protocol:
                    changes += change(data, at + HEAD.size, at + size, below, seconds)
                at += size
            if changes:
                # A connection that is over by now is answered by an error, which nobody reads.
                changed.send(b"".join(changes))


def change(data: bytes, first: int, end: int, below: float, seconds: Optional[int]) -> List[bytes]:
    own = data[first : first + struct.unpack_from("=H", data, first)[0]]
    left = None
    at = first
    while at < end and left is None:
        size, kind = struct.unpack_from("=HH", data, at)
        left = struct.unpack_from(">I", data, at + 4)[0] if kind == TIMEOUT else None
        at += size + 3 & ~3
    # A connection of the flowtable has no time-out.
    if seconds is None:
        return [head(len(own), DELETE, 1) + own] if (left or 0) < below else []
    timeout = struct.pack("=HH", 8, TIMEOUT) + struct.pack(">I", seconds)
    return [head(len(own) + 8, CHANGE, 1) + own + timeout] if left is not None and left < below else []
