"""What the failover probe sends: flows that it holds, a steady stream, and new connections on a schedule."""

from __future__ import annotations

import collections
import errno
import socket
import struct
import time

from probes.nat_wire import HELLO, REPLY, pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from typing import Any

    from probes.nat_flows import Flow

# Each held flow speaks so often.
BEAT_SECONDS = 1.0
# Less than a second: a lost SYN is sent again then, and would hide that it was lost.
CONNECT_SECONDS = 0.9
# What may be on its way when all is over.
GRACE_SECONDS = 3.0

SURVIVED, RESET, SILENT, REMAPPED = "survived", "reset", "silent", "remapped"


class Held:
    """A flow that is up: each beat is answered, or it is not."""

    __slots__ = ("sock", "seen", "sent", "stall", "fate", "beats")

    def __init__(self, flow: Flow) -> None:
        self.sock = flow.sock
        self.seen = flow.seen
        # Beats without an answer: number and time.
        self.sent: collections.deque[tuple[int, float]] = collections.deque()
        # The longest that a beat, and those lost before it, had to wait.
        self.stall = 0.0
        self.fate = SURVIVED
        self.beats = 0


class HeldFlows:
    """Flows of one protocol that take turns, so that their beats are spread over the second."""

    def __init__(self, flows: list[Flow], tcp: bool, secret: bytes, epoll: select.epoll) -> None:
        import select

        self._tcp = tcp
        self._secret = secret
        self._epoll = epoll
        self._flows = [Held(flow) for flow in flows]
        self.by_fd = {held.sock.fileno(): held for held in self._flows}
        for fd in self.by_fd:
            epoll.register(fd, select.EPOLLIN)
        self._begin = time.monotonic()
        self._done = 0

    def send_due(self, now: float) -> None:
        due = int((now - self._begin) / BEAT_SECONDS * len(self._flows))
        for turn in range(self._done, due):
            held = self._flows[turn % len(self._flows)]
            if held.fate == SURVIVED:
                self._beat(held, now)
        self._done = max(due, self._done)

    def _beat(self, held: Held, now: float) -> None:
        held.beats += 1
        message = b"?" if self._tcp else pack(self._secret, HELLO, struct.pack("!Q", held.beats))
        try:
            held.sock.send(message)
        except BlockingIOError:
            return
        except OSError as error:
            self._failed(held, error)
            return
        held.sent.append((held.beats, now))

    def hear(self, fd: int, now: float) -> None:
        held = self.by_fd[fd]
        try:
            data = held.sock.recv(256)
        except BlockingIOError:
            return
        except OSError as error:
            self._failed(held, error)
            return
        if not self._tcp:
            self._hear_datagram(held, data, now)
        elif not data:
            self._end(held, RESET)
        else:
            for _ in data[: len(held.sent)]:
                held.stall = max(held.stall, now - held.sent.popleft()[1])

    def _hear_datagram(self, held: Held, data: bytes, now: float) -> None:
        message = unpack(self._secret, data)
        if message is None or message.operation != HELLO | REPLY:
            return
        if message.seen != held.seen:
            self._end(held, REMAPPED)
            return
        (beat,) = struct.unpack("!Q", message.nonce)
        while held.sent and held.sent[0][0] <= beat:
            held.stall = max(held.stall, now - held.sent.popleft()[1])

    def _failed(self, held: Held, error: OSError) -> None:
        # A datagram socket tells of an ICMP message and goes on.
        if self._tcp:
            self._end(held, SILENT if error.errno == errno.ETIMEDOUT else RESET)

    def _end(self, held: Held, fate: str) -> None:
        held.fate = fate
        self._epoll.unregister(held.sock)
        del self.by_fd[held.sock.fileno()]
        held.sock.close()

    def ask_again(self, now: float) -> None:
        """Flows without an answer as yet, once more: of datagrams a lost one is no dead flow. TCP sees to it itself."""
        for held in [] if self._tcp else list(self.by_fd.values()):
            if held.sent:
                self._beat(held, now)

    def awaited(self) -> bool:
        return any(held.sent for held in self.by_fd.values())

    def figures(self) -> dict[str, Any]:
        """Flows by their fate, and percentiles in milliseconds of the longest stall of each that survived."""
        for held in self._flows:
            if held.fate == SURVIVED and held.sent:
                held.fate = SILENT
        fates = collections.Counter(held.fate for held in self._flows)
        stalls = sorted(held.stall * 1000 for held in self._flows if held.fate == SURVIVED)
        broken = {RESET: fates[RESET]} if self._tcp else {REMAPPED: fates[REMAPPED]}
        return {
            "opened": len(self._flows),
            SURVIVED: fates[SURVIVED],
            SILENT: fates[SILENT],
            **broken,
            "stallMs": {name: rank(stalls, percent) for name, percent in PERCENTILES.items()},
        }


PERCENTILES = {"p50": 50, "p95": 95, "max": 100}


def rank(ordered: list[float], percent: int) -> float | None:
    """Nearest rank; None of nothing."""
    return round(ordered[max(1, -(-percent * len(ordered) // 100)) - 1], 1) if ordered else None


class Stream:
    """A datagram each interval on one flow, whether the one before was answered or not."""

    def __init__(self, destination: Any, interval: float, secret: bytes) -> None:
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        self.sock.connect(destination)
        self._interval = interval
        self._secret = secret
        self._begin = time.monotonic()
        # When each was sent, and whether it was answered.
        self.sent: list[list[Any]] = []
        # How late the probe itself was with one at most.
        self.late = 0.0

    def send_due(self, now: float) -> None:
        due = self._begin + len(self.sent) * self._interval
        while due <= now:
            self.late = max(self.late, now - due)
            try:
                self.sock.send(pack(self._secret, HELLO, struct.pack("!Q", len(self.sent))))
            except OSError:  # not sent is lost
                pass
            self.sent.append([now, False])
            due += self._interval

    def hear(self) -> None:
        while True:
            try:
                message = unpack(self._secret, self.sock.recv(256))
            except OSError:
                return
            if message is not None and message.operation == HELLO | REPLY:
                (number,) = struct.unpack("!Q", message.nonce)
                if number < len(self.sent):
                    self.sent[number][1] = True


class Arrivals:
    """A new TCP connection each interval, whether those before came up or not."""

    def __init__(self, destination: Any, interval: float, epoll: select.epoll) -> None:
        self._destination = destination
        self._interval = interval
        self._epoll = epoll
        self._begin = time.monotonic()
        # When each was begun, and whether it came up before its SYN would be sent again.
        self.begun: list[list[Any]] = []
        # In the order in which they are given up.
        self.pending: dict[int, tuple[int, socket.socket, float]] = {}

    def send_due(self, now: float) -> None:
        while self._begin + len(self.begun) * self._interval <= now:
            self._begin_one(now)
        while self.pending:
            fd, (_, sock, begun) = next(iter(self.pending.items()))
            if now - begun < CONNECT_SECONDS:
                return
            del self.pending[fd]
            sock.close()

    def _begin_one(self, now: float) -> None:
        import select

        number = len(self.begun)
        self.begun.append([now, False])
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setblocking(False)
        # Ended with a reset: a NAT keeps it for seconds only.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if sock.connect_ex(self._destination) not in (0, errno.EINPROGRESS):
            sock.close()
            return
        self.pending[sock.fileno()] = (number, sock, now)
        self._epoll.register(sock, select.EPOLLOUT)

    def hear(self, fd: int) -> None:
        number, sock, _ = self.pending.pop(fd)
        self.begun[number][1] = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
        sock.close()


def longest_outage(samples: list[list[Any]], since: float) -> dict[str, Any]:
    """The longest time from a sample that failed to the next one that did not, in milliseconds, of those from `since`
    on. `ended` is false where none came after it: it lasted that long at least."""
    longest, ended = 0.0, True
    begun: float | None = None
    last = since
    for at, answered in samples:
        if at < since:
            continue
        last = at
        if not answered and begun is None:
            begun = at
        elif answered and begun is not None:
            if at - begun > longest:
                longest, ended = at - begun, True
            begun = None
    if begun is not None and last - begun > longest:
        longest, ended = last - begun, False
    return {"ms": round(longest * 1000, 1), "ended": ended}
