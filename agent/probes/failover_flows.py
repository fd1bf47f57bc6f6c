"""Flows that the failover probe holds. Each kind speaks in its own way, and detects a cut in its own way."""

from __future__ import annotations

import collections
import errno
import fcntl
import struct
import time

from probes.nat_wire import HELLO, REPLY, pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from typing import Any

    from probes.nat_flows import Flow

# Interval at which each held flow sends.
BEAT_SECONDS = 1.0

SURVIVED, RESET, SILENT, REMAPPED = "survived", "reset", "silent", "remapped"
# Length of the responder's record, which is the time of its clock.
RECORD_BYTES = 8
# Asks for the bytes that the other end has not acknowledged (linux/sockios.h: SIOCOUTQ).
UNACKNOWLEDGED = 0x5411


class Held:
    """An established flow."""

    __slots__ = ("sock", "seen", "sent", "stall", "fate", "beats", "received", "heard_at", "least")

    def __init__(self, flow: Flow) -> None:
        self.sock = flow.sock
        self.seen = flow.seen
        # Unanswered beats: number and time.
        self.sent: collections.deque[tuple[int, float]] = collections.deque()
        # The longest wait for an answer, counting from the first lost beat before it.
        self.stall = 0.0
        self.fate = SURVIVED
        self.beats = 0
        # For a flow that only receives: a partial record, the time of the last one, and the shortest delay.
        self.received = b""
        self.heard_at = 0.0
        self.least = float("inf")


class HeldFlows:
    """Flows of one kind that take turns, so that their beats spread over the second."""

    # Fate of a flow that an error closes, as opposed to one that falls silent.
    broken = RESET

    def __init__(self, flows: list[Flow], secret: bytes, epoll: select.epoll) -> None:
        import select

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

    def hear(self, fd: int, now: float) -> None:
        held = self.by_fd[fd]
        try:
            data = held.sock.recv(4096)
        except BlockingIOError:
            return
        except OSError as error:
            self._failed(held, error)
            return
        self._take(held, data, now)

    def rest(self, now: float) -> None:
        """Called once, when no further beat is due."""

    def ask_again(self, now: float) -> None:
        """Called each half beat from then on."""

    def awaited(self) -> bool:
        """Whether an answer may still come."""
        return any(held.sent for held in self.by_fd.values())

    def figures(self) -> dict[str, Any]:
        """Number of flows by fate, and percentiles in milliseconds of each survivor's longest stall."""
        for held in self._flows:
            if held.fate == SURVIVED and self._is_silent(held):
                held.fate = SILENT
        fates = collections.Counter(held.fate for held in self._flows)
        stalls = sorted(held.stall * 1000 for held in self._flows if held.fate == SURVIVED)
        return {
            "opened": len(self._flows),
            SURVIVED: fates[SURVIVED],
            SILENT: fates[SILENT],
            self.broken: fates[self.broken],
            "stallMs": percentiles(stalls),
        }

    def _beat(self, held: Held, now: float) -> None:
        held.beats += 1
        try:
            held.sock.send(self._message(held))
        except BlockingIOError:
            return
        except OSError as error:
            self._failed(held, error)
            return
        held.sent.append((held.beats, now))

    def _message(self, held: Held) -> bytes:
        del held  # one byte serves every connection
        return b"?"

    def _take(self, held: Held, data: bytes, now: float) -> None:
        """Handles received bytes; none means that the other end has closed."""
        raise NotImplementedError

    def _is_silent(self, held: Held) -> bool:
        return bool(held.sent)

    def _failed(self, held: Held, error: OSError) -> None:
        self._end(held, SILENT if error.errno == errno.ETIMEDOUT else RESET)

    def _end(self, held: Held, fate: str) -> None:
        held.fate = fate
        self._epoll.unregister(held.sock)
        del self.by_fd[held.sock.fileno()]
        held.sock.close()


class EchoConnections(HeldFlows):
    """TCP: a byte each second, which the other end returns."""

    def _take(self, held: Held, data: bytes, now: float) -> None:
        if not data:
            self._end(held, RESET)
        for _ in data[: len(held.sent)]:
            held.stall = max(held.stall, now - held.sent.popleft()[1])


class IdleConnections(EchoConnections):
    """TCP: silent until the end, when each is asked once."""

    def send_due(self, now: float) -> None:
        """Nothing is."""

    def rest(self, now: float) -> None:
        for held in list(self.by_fd.values()):
            self._beat(held, now)


class SendingConnections(HeldFlows):
    """TCP: the client sends a byte each second; the other end only acknowledges."""

    def send_due(self, now: float) -> None:
        self.look(now)
        super().send_due(now)

    def look(self, now: float) -> None:
        for held in list(self.by_fd.values()):
            if held.sent and unacknowledged(held.sock) == 0:
                held.stall = max(held.stall, now - held.sent[0][1])
                held.sent.clear()

    def awaited(self) -> bool:
        self.look(time.monotonic())
        return super().awaited()

    def _take(self, held: Held, data: bytes, now: float) -> None:
        del now  # acknowledgements carry the time, data does not
        if not data:
            self._end(held, RESET)


class ReceivingConnections(HeldFlows):
    """TCP: the other end sends the time of its clock each second; the client is silent."""

    _rested_at: float | None = None

    def send_due(self, now: float) -> None:
        """Nothing is."""

    def rest(self, now: float) -> None:
        self._rested_at = now

    def awaited(self) -> bool:
        return any(self._is_silent(held) for held in self.by_fd.values())

    def _is_silent(self, held: Held) -> bool:
        return self._rested_at is not None and held.heard_at <= self._rested_at

    def _take(self, held: Held, data: bytes, now: float) -> None:
        if not data:
            self._end(held, RESET)
            return
        held.heard_at = now
        held.received += data
        whole = len(held.received) // RECORD_BYTES * RECORD_BYTES
        for (micros,) in struct.iter_unpack("!Q", held.received[:whole]):
            # The clocks differ by a constant, which the least delay contains as well.
            delay = now - micros / 1e6
            held.least = min(held.least, delay)
            held.stall = max(held.stall, delay - held.least)
        held.received = held.received[whole:]


class EchoDatagrams(HeldFlows):
    """UDP: a message each second, whose answer names the source address that the server saw."""

    broken = REMAPPED

    def ask_again(self, now: float) -> None:
        """Asks unanswered flows once more: a lost datagram is no dead flow."""
        for held in list(self.by_fd.values()):
            if held.sent:
                self._beat(held, now)

    def _message(self, held: Held) -> bytes:
        return pack(self._secret, HELLO, struct.pack("!Q", held.beats))

    def _take(self, held: Held, data: bytes, now: float) -> None:
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
        """Ignores the error: a datagram socket reports an ICMP message and keeps working."""


def unacknowledged(sock: Any) -> int:
    """Bytes sent but not acknowledged."""
    return struct.unpack("i", fcntl.ioctl(sock, UNACKNOWLEDGED, bytes(4)))[0]


PERCENTILES = {"p50": 50, "p95": 95, "max": 100}


def percentiles(ordered: list[float]) -> dict[str, float | None]:
    """Nearest-rank percentiles; None without values."""
    return {
        name: round(ordered[max(1, -(-percent * len(ordered) // 100)) - 1], 1) if ordered else None
        for name, percent in PERCENTILES.items()
    }
