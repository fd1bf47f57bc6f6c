"""The protocol between nat_limits.py and nat_responder.py.

A message has the same size both ways, over UDP and TCP alike, and carries an HMAC with the stack's secret:

    magic 4, operation 1, padding 3, number 4, nonce 8, cookie 16, seen address 4 and port 2, padding 2,
    first 16 bytes of HMAC-SHA256 over all that

The number is a request's delay or period in milliseconds, and in a reply how many connections the responder can hold.
A reply has the request's nonce, its operation with REPLY added, and the address and port the request came from.
The cookie is the responder's, made for that very address and port: only who receives there can show it.
"""

from __future__ import annotations

import hmac
import os
import resource
import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"ebn1"
LAYOUT = struct.Struct("!4sB3xI8s16s4sH2x")
MAC_BYTES = 16
SIZE = LAYOUT.size + MAC_BYTES
NO_COOKIE = bytes(16)

# Answered at once; the reply brings the cookie.
HELLO = 1
# Answered after the delay; needs the cookie.
LATER = 2
# Answered at once from the responder's other port; needs the cookie.
FROM_OTHER = 3
# TCP: the responder answers this first message, and nothing after it.
SINK = 4
# TCP: the responder answers this first message, and then sends the time of its clock every period.
SOURCE = 5
REPLY = 0x80

# The longest silence that a plan may try.
MAX_DELAY_SECONDS = 3600


class Message:
    """An authentic message."""

    __slots__ = ("operation", "number", "nonce", "cookie", "seen")

    def __init__(self, fields: tuple[Any, ...]) -> None:
        _, self.operation, self.number, self.nonce, self.cookie, address, port = fields
        self.seen: tuple[str, int] = (socket.inet_ntoa(address), port)


def new_nonce() -> bytes:
    return os.urandom(8)


def pack(
    secret: bytes,
    operation: int,
    nonce: bytes,
    cookie: bytes = NO_COOKIE,
    number: int = 0,
    seen: tuple[str, int] = ("0.0.0.0", 0),
) -> bytes:
    body = LAYOUT.pack(MAGIC, operation, number, nonce, cookie, socket.inet_aton(seen[0]), seen[1])
    return body + hmac.digest(secret, body, "sha256")[:MAC_BYTES]


def unpack(secret: bytes, data: bytes) -> Message | None:
    """A message; None for anything not written by a host of the same stack."""
    if len(data) != SIZE or not data.startswith(MAGIC):
        return None
    body, mac = data[: LAYOUT.size], data[LAYOUT.size :]
    if not hmac.compare_digest(mac, hmac.digest(secret, body, "sha256")[:MAC_BYTES]):
        return None
    return Message(LAYOUT.unpack(body))


def raise_file_limit(wanted: int) -> int:
    """Lets this process open `wanted` files, or as many as it may; returns the number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))  # above `hard`: root only
    except (OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wanted), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
