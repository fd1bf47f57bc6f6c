#!/usr/bin/env python3
"""usage: nat_responder.py --port PORT --other-port PORT [--hello-seconds 10] [--max-delay-seconds 3600]

The far end of nat_limits.py, started by the daemon of a server. UDP on both ports, TCP on the first.

UDP: answers an authentic message (nat_wire.py) at once, after a delay, or from the other port. TCP: answers
an authentic first message and holds the connection; as that message asked, it echoes whatever comes after it, says
nothing more, or sends 8 bytes every period.

It is of no use to a stranger. What is not authentic gets no answer; a reply is as large as its request, and
one request has one reply; whatever goes beyond an immediate reply needs a cookie that was received at the
same address. Bounded: 20,000 delayed replies of --max-delay-seconds; 100,000 connections, silent for little
more than an hour at most; of those that have not proved themselves 1,024, for --hello-seconds. Nothing is
buffered: who does not read its echo is hung up on. Beyond a bound the oldest goes, delayed replies apart,
where the newest is dropped.
"""

from __future__ import annotations

import errno
import heapq
import hmac
import os
import select
import socket
import sys
import time

from common.errors import AgentError, BadInput, reason
from common.options import PORT, options
from daemon.control_port import read_secret
from probes.nat_wire import (
    FROM_OTHER,
    HELLO,
    LATER,
    MAX_DELAY_SECONDS,
    REPLY,
    SINK,
    SIZE,
    SOURCE,
    pack,
    raise_file_limit,
    unpack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from probes.nat_wire import Message

MAX_DELAYED = 20_000
MAX_CONNECTIONS = 100_000
MAX_SILENT = 1024
# Longer than any silence that a plan may try.
IDLE_SECONDS = MAX_DELAY_SECONDS + 120
# Descriptors that are not connections.
SPARE_FILES = 32
# The shortest period of a connection on which the responder sends.
LEAST_PERIOD_SECONDS = 0.1
# Events of one socket before the others' turn.
BATCH = 256


class Connection:
    __slots__ = ("sock", "peer", "heard_at", "hello", "echoes")

    def __init__(self, sock: socket.socket, peer: tuple[str, int]) -> None:
        self.sock = sock
        self.peer = peer
        self.heard_at = time.monotonic()
        self.hello = b""  # the received part of the first message
        self.echoes = True


class Responder:
    def __init__(
        self, port: int, other_port: int, secret: bytes, hello_seconds: float, delay_seconds: float
    ) -> None:
        self._secret = secret
        self._cookie_key = os.urandom(32)
        self._hello_seconds = hello_seconds
        self._delay_seconds = delay_seconds
        self._most = min(MAX_CONNECTIONS, raise_file_limit(MAX_CONNECTIONS + SPARE_FILES) - SPARE_FILES)
        # By age and last use: the first is the next to close.
        self._silent: dict[int, Connection] = {}
        self._proved: dict[int, Connection] = {}
        self._delayed: list[tuple[float, int, socket.socket, Any, bytes]] = []
        self._count = 0
        # Connections on which the responder sends: time of the next record, and the period.
        self._sources: list[tuple[float, int, Connection, float]] = []
        self._epoll = select.epoll()
        other = bound(socket.SOCK_DGRAM, other_port)
        first = bound(socket.SOCK_DGRAM, port)
        self._datagrams = {first.fileno(): (first, other), other.fileno(): (other, first)}
        self._listener = bound(socket.SOCK_STREAM, port)
        self._listener.listen(4096)
        for sock in (first, other, self._listener):
            self._epoll.register(sock, select.EPOLLIN)

    def serve(self) -> NoReturn:
        while True:
            next_due = min(queue[0][0] if queue else float("inf") for queue in (self._delayed, self._sources))
            wait = min(1.0, max(0.0, next_due - time.monotonic()))
            for fd, _ in self._epoll.poll(wait, 1024):
                if fd == self._listener.fileno():
                    self._accept()
                elif fd in self._datagrams:
                    self._answer_datagrams(*self._datagrams[fd])
                else:
                    self._hear(fd)
            self._send_delayed()
            self._send_records()
            self._sweep()

    # UDP

    def _answer_datagrams(self, sock: socket.socket, other: socket.socket) -> None:
        for _ in range(BATCH):
            try:
                data, peer = sock.recvfrom(SIZE + 1)
            except OSError:  # none left, or an error of an earlier reply
                return
            message = unpack(self._secret, data)
            if message is None:
                continue
            if message.operation == HELLO:
                send(sock, peer, self._reply(message, peer))
            elif not hmac.compare_digest(message.cookie, self._cookie(peer)):
                continue
            elif message.operation == FROM_OTHER:
                send(other, peer, self._reply(message, peer))
            elif message.operation == LATER:
                self._delay(sock, peer, message)

    def _reply(self, message: Message, peer: tuple[str, int]) -> bytes:
        operation = message.operation | REPLY
        return pack(self._secret, operation, message.nonce, self._cookie(peer), self._most, peer)

    def _cookie(self, peer: tuple[str, int]) -> bytes:
        return hmac.digest(self._cookie_key, f"{peer[0]} {peer[1]}".encode(), "sha256")[:16]

    def _delay(self, sock: socket.socket, peer: tuple[str, int], message: Message) -> None:
        seconds = message.number / 1000
        if seconds > self._delay_seconds or len(self._delayed) >= MAX_DELAYED:
            return
        self._count += 1  # orders two of the same time
        due = time.monotonic() + seconds
        heapq.heappush(self._delayed, (due, self._count, sock, peer, self._reply(message, peer)))

    def _send_delayed(self) -> None:
        now = time.monotonic()
        while self._delayed and self._delayed[0][0] <= now:
            _, _, sock, peer, reply = heapq.heappop(self._delayed)
            send(sock, peer, reply)

    # TCP

    def _accept(self) -> None:
        for _ in range(BATCH):
            try:
                sock, peer = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:  # gone already, or out of descriptors
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    self._drop_oldest()
                    return
                continue
            sock.setblocking(False)
            self._silent[sock.fileno()] = Connection(sock, peer)
            self._epoll.register(sock, select.EPOLLIN)
            if len(self._silent) > MAX_SILENT or len(self._silent) + len(self._proved) > self._most:
                self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Closes the oldest connection, preferably one that has not proved its address."""
        fd = next(iter(self._silent or self._proved), None)
        if fd is not None:
            self._close(fd)

    def _hear(self, fd: int) -> None:
        connection = self._silent.get(fd) or self._proved.get(fd)
        if connection is None:  # dropped in this round
            return
        try:
            data = connection.sock.recv(4096 if fd in self._proved else SIZE - len(connection.hello))
        except BlockingIOError:  # the event belongs to an earlier connection with this number
            return
        except OSError:
            data = b""
        try:
            answer = (
                (data if connection.echoes else b"")
                if fd in self._proved
                else self._prove(fd, connection, data)
            )
            if not data or connection.sock.send(answer) < len(answer):
                raise ValueError("gone, or it does not read what it asked for")
        except (OSError, ValueError):
            self._close(fd)
            return
        if fd in self._proved:
            connection.heard_at = time.monotonic()
            self._proved[fd] = self._proved.pop(fd)

    def _prove(self, fd: int, connection: Connection, data: bytes) -> bytes:
        """The answer to a complete first message. Raises ValueError where it is not authentic."""
        connection.hello += data
        if len(connection.hello) < SIZE:
            return b""
        message = unpack(self._secret, connection.hello)
        if message is None or message.operation not in (HELLO, SINK, SOURCE):
            raise ValueError("not authentic")
        self._proved[fd] = self._silent.pop(fd)
        connection.echoes = message.operation == HELLO
        if message.operation == SOURCE:
            self._count += 1
            period = max(LEAST_PERIOD_SECONDS, message.number / 1000)
            # The first sends are spread over one period: otherwise all flows would send at once.
            due = time.monotonic() + period * (1 + self._count % 64 / 64)
            heapq.heappush(self._sources, (due, self._count, connection, period))
        return self._reply(message, connection.peer)

    def _send_records(self) -> None:
        now = time.monotonic()
        while self._sources and self._sources[0][0] <= now:
            due, number, connection, period = heapq.heappop(self._sources)
            if connection.sock.fileno() < 0:
                continue
            try:
                connection.sock.send(int(now * 1e6).to_bytes(8, "big"))
            except OSError:
                self._close(connection.sock.fileno())
                continue
            heapq.heappush(self._sources, (due + period, number, connection, period))

    def _sweep(self) -> None:
        now = time.monotonic()
        for table, seconds in ((self._silent, self._hello_seconds), (self._proved, IDLE_SECONDS)):
            while table:
                fd, oldest = next(iter(table.items()))
                if now - oldest.heard_at <= seconds:
                    break
                self._close(fd)

    def _close(self, fd: int) -> None:
        connection = self._silent.pop(fd, None) or self._proved.pop(fd, None)
        if connection is not None:
            connection.sock.close()  # also removes it from epoll


def bound(kind: int, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, kind)
    sock.setblocking(False)
    if kind == socket.SOCK_STREAM:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)  # bursts of first packets
    try:
        sock.bind(("0.0.0.0", port))
    except OSError as error:
        raise AgentError(f"port {port}: {reason(error)}") from None
    return sock


def send(sock: socket.socket, peer: Any, reply: bytes) -> None:
    try:
        sock.sendto(reply, peer)
    except OSError:  # no room: a lost packet, as on any path
        pass


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    port = PORT
    try:
        known = {"port": port, "other-port": port, "hello-seconds": ("10", 0.1, 3600)}
        longest = (str(MAX_DELAY_SECONDS), 0.001, MAX_DELAY_SECONDS)
        given = options(arguments, {**known, "max-delay-seconds": longest})
        numbers = int(given["port"]), int(given["other-port"])
        bounds = float(given["hello-seconds"]), float(given["max-delay-seconds"])
        Responder(*numbers, read_secret(), *bounds).serve()
    except (BadInput, AgentError) as error:
        print(f"nat_responder.py: {error}", file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
