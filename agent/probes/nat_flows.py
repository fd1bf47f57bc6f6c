"""Many flows to one address and port at once, for nat_limits.py.

Each flow has a source port of its own, from 65535 downwards whatever the kernel's ephemeral range, and is
proved alive: TCP by the answer to a first message and by the echo of a byte, UDP by a message and its
reply.
"""

from __future__ import annotations

import collections
import errno
import select
import socket
import struct
import time

from probes.nat_wire import HELLO, NO_COOKIE, REPLY, SIZE, new_nonce, pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# Tries of a datagram, a second apart, before its flow is given up. A TCP flow has as long: a lost SYN is
# repeated after one second.
TRIES = 3
TRY_SECONDS = 1.0
# Failures in a row that prove a limit: a NAT that is almost full finds a free port only sometimes.
PATIENCE = 64
# Interval of a held UDP flow's messages: NATs forget one after 30 s, some after 20 s.
REFRESH_SECONDS = 10.0
# The batch and the pause between batches keep within the responder's buffer.
REFRESH_BATCH = 128
REFRESH_PAUSE_SECONDS = 0.005
# Privileged ports are below it.
FIRST_PORT = 1024
# The flow continued from another outside port: its mapping had been reassigned.
REMAPPED = "remapped"


class Flow:
    __slots__ = ("sock", "nonce", "cookie", "seen", "tries", "due", "connecting", "received", "spoke_at")

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.nonce = b""
        self.cookie = NO_COOKIE
        # Address and port that the responder saw.
        self.seen: tuple[str, int] | None = None
        self.tries = 0
        self.due = 0.0
        self.connecting = True
        self.received = b""
        # Time of the last packet, when its silence began.
        self.spoke_at = 0.0


def name_of(code: int | None) -> str:
    return errno.errorcode.get(code or 0, "EIO")


class Flows:
    """Opens flows and asks them again, at most `window` at a time."""

    def __init__(self, family: int, destination: Any, protocol: str, secret: bytes, window: int) -> None:
        # In the order of their last message.
        self.alive: collections.deque[Flow] = collections.deque()
        # The first failed flow's error, and the resource that this host or the responder exhausted.
        self.first_error: str | None = None
        self.local_error: str | None = None
        self.limit_reached = False
        self._failed_in_row = 0
        # Connections that the responder can hold; unknown until it has answered.
        self._capacity: int | None = None
        self._family = family
        self._destination = destination
        self._tcp = protocol == "tcp"
        self._secret = secret
        self._window = window
        # Operation and number of a flow's first message.
        self.first: tuple[int, int] = (HELLO, 0)
        self._ports = iter(range(65535, FIRST_PORT - 1, -1))
        # All wait equally long, so they are in the order in which they are due.
        self._pending: dict[int, Flow] = {}
        self._epoll = select.epoll()

    def open(self, most: int, seconds: float) -> None:
        """Opens up to `most` flows, until a limit is found, the client can open no more, or the time is over."""
        end = time.monotonic() + seconds

        def next_one() -> bool:
            bound = min(most, self._capacity or most)
            free = bound - len(self.alive)
            # A small target cannot have many failures at once: three rounds of them suffice.
            self.limit_reached = free > 0 and self._failed_in_row >= min(PATIENCE, 3 * free)
            if self.limit_reached or self.local_error is not None or time.monotonic() >= end:
                return False
            if free <= 0 and bound < most:
                self.local_error = "EMFILE on the server"
            return free > len(self._pending) and self._start()

        self._drive(next_one)

    def check(self) -> None:
        """Asks all flows once more; drops those that do not answer, or answer from another outside port."""
        flows = iter(self.alive)
        self.alive = collections.deque()

        def next_one() -> bool:
            flow = next(flows, None)
            if flow is not None:
                flow.tries = 0
                self._watch(flow, select.EPOLLIN)
                self._ask(flow)
            return flow is not None

        self._drive(next_one)

    def close(self) -> None:
        for flow in self.alive:
            flow.sock.close()
        self.alive.clear()

    def _drive(self, next_one: Callable[[], bool]) -> None:
        """Runs until nothing is under way and no flow is next; a failure may make one wanted again."""
        while True:
            while len(self._pending) < self._window and next_one():
                pass
            if not self._pending:
                return
            first_due = next(iter(self._pending.values())).due
            wait = min(self._refresh(), max(0.0, first_due - time.monotonic()))
            for fd, _ in self._epoll.poll(wait, 1024):
                if fd in self._pending:
                    self._advance(self._pending[fd])
            self._expire()

    def _refresh(self) -> float:
        """Makes held UDP flows speak, or a NAT would forget the first ones before the last are open.

        Returns the seconds until it wants to be called again.
        """
        now = time.monotonic()
        for _ in range(0 if self._tcp else min(REFRESH_BATCH, len(self.alive))):
            flow = self.alive[0]
            if now - flow.spoke_at < REFRESH_SECONDS:
                return 1.0
            try:
                flow.sock.send(pack(self._secret, HELLO, flow.nonce))
            except OSError:  # lost; the final check tells whether it matters
                pass
            flow.spoke_at = now
            self.alive.rotate(-1)
        return 1.0 if self._tcp else REFRESH_PAUSE_SECONDS

    def _start(self) -> bool:
        """Starts a flow. False where the client has no port, descriptor or memory for another one."""
        try:
            flow = Flow(self._bound())
        except OSError as error:
            self.local_error = name_of(error.errno)
            return False
        outcome = flow.sock.connect_ex(self._destination)
        if outcome not in (0, errno.EINPROGRESS):
            self._fail(flow, name_of(outcome))
        elif self._tcp:
            self._watch(flow, select.EPOLLOUT)
        else:
            flow.connecting = False
            self._watch(flow, select.EPOLLIN)
            self._ask(flow)
        return True

    def _bound(self) -> socket.socket:
        sock = socket.socket(self._family, socket.SOCK_STREAM if self._tcp else socket.SOCK_DGRAM)
        sock.setblocking(False)
        if self._tcp:  # reset: no TIME_WAIT here, and a NAT forgets it soon
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for port in self._ports:
            try:
                sock.bind(("", port))
                return sock
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    sock.close()
                    raise
        sock.close()
        raise OSError(errno.EADDRNOTAVAIL, "no source port left")

    def _watch(self, flow: Flow, events: int) -> None:
        flow.due = time.monotonic() + (TRIES * TRY_SECONDS if self._tcp else TRY_SECONDS)
        self._pending[flow.sock.fileno()] = flow
        self._epoll.register(flow.sock, events)

    def _ask(self, flow: Flow) -> None:
        """Sends a byte on a TCP flow that has had its first answer."""
        flow.tries += 1
        flow.nonce = flow.nonce if flow.tries > 1 else new_nonce()
        flow.received = b""
        again = self._tcp and flow.seen is not None
        try:
            hello = pack(self._secret, self.first[0], flow.nonce, number=self.first[1])
            flow.sock.send(b"?" if again else hello)
        except BlockingIOError:  # repeated, or given up, when it is due
            pass
        except OSError as error:
            self._fail(flow, name_of(error.errno))

    def _advance(self, flow: Flow) -> None:
        if flow.connecting:
            outcome = flow.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if outcome != 0:
                self._fail(flow, name_of(outcome))
                return
            flow.connecting = False
            self._epoll.modify(flow.sock, select.EPOLLIN)
            self._ask(flow)
            return
        try:
            data = flow.sock.recv(256)
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(flow, name_of(error.errno))
            return
        if self._tcp and not data:
            self._fail(flow, "ECONNRESET")
        else:
            self._hear(flow, data)

    def _hear(self, flow: Flow, data: bytes) -> None:
        flow.received = flow.received + data if self._tcp else data
        if self._tcp and flow.seen is not None:
            self._succeed(flow)
            return
        message = unpack(self._secret, flow.received)
        if message is None or message.operation != self.first[0] | REPLY or message.nonce != flow.nonce:
            if self._tcp and len(flow.received) >= SIZE:
                self._fail(flow, "EPROTO")
            return  # part of an answer, or a late or foreign datagram
        if flow.seen is not None and flow.seen != message.seen:
            self._fail(flow, REMAPPED)
            return
        flow.cookie, flow.seen = message.cookie, message.seen
        if self._tcp:
            self._capacity = message.number
        self._succeed(flow)

    def _expire(self) -> None:
        now = time.monotonic()
        while self._pending:
            fd, flow = next(iter(self._pending.items()))
            if flow.due > now:
                return
            if self._tcp or flow.tries >= TRIES:
                self._fail(flow, "ETIMEDOUT")
            else:
                flow.due = now + TRY_SECONDS
                self._pending[fd] = self._pending.pop(fd)
                self._ask(flow)

    def _succeed(self, flow: Flow) -> None:
        # Not watched while it rests: a reset flow would be reported again and again.
        self._epoll.unregister(flow.sock)
        del self._pending[flow.sock.fileno()]
        flow.spoke_at = time.monotonic()
        self._failed_in_row = 0
        self.alive.append(flow)

    def _fail(self, flow: Flow, error: str) -> None:
        self._pending.pop(flow.sock.fileno(), None)
        flow.sock.close()
        self._failed_in_row += 1
        self.first_error = self.first_error or error


def count_flows(flows: Flows, protocol: str, most: int, seconds: float) -> dict[str, Any]:
    """Opens as many flows as possible, and counts the live ones when all are open."""
    begin = time.monotonic()
    flows.open(most, seconds)
    opened = len(flows.alive)
    flows.check()
    alive = len(flows.alive)
    # A NAT may forget an old flow to make room for a new one. One per cent may be bad luck.
    limit_reached = flows.limit_reached or alive < 0.99 * opened
    error = flows.first_error if limit_reached else flows.local_error
    flows.close()
    return {
        "protocol": protocol,
        "opened": alive,
        "bound": most if limit_reached or opened >= most else opened,
        "limitReached": limit_reached,
        "error": error,
        "durationSeconds": round(time.monotonic() - begin, 3),
    }
