"""The failover probe's traffic on a schedule, independent of earlier answers: streams, pings, connections."""

from __future__ import annotations

import array
import errno
import os
import socket
import struct
import time

from probes.failover_flows import percentiles
from probes.misses import misses
from probes.nat_wire import HELLO, REPLY, pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from typing import Any

# Less than a second: a lost SYN is repeated then, which would hide the loss.
CONNECT_SECONDS = 0.9
# Longest wait for outstanding answers at the end.
GRACE_SECONDS = 3.0
# Most entries of a series.
MAX_ENTRIES = 120


class Samples:
    """When each packet was sent, and whether it was answered."""

    def __init__(self) -> None:
        self._at = array.array("d")
        self._answered = bytearray()

    def __len__(self) -> int:
        return len(self._at)

    def sent(self, now: float) -> int:
        """Number of the packet being sent."""
        self._at.append(now)
        self._answered.append(0)
        return len(self._at) - 1

    def answered(self, number: int) -> None:
        if number < len(self._answered):
            self._answered[number] = 1

    def since(self, begin: float) -> list[tuple[float, bool]]:
        return [(at, bool(ok)) for at, ok in zip(self._at, self._answered) if at >= begin]

    def any_before(self, end: float) -> bool:
        """Whether anything sent before `end` was answered."""
        return any(ok for at, ok in zip(self._at, self._answered) if at < end)


class Streams:
    """UDP flows, each with a datagram per interval."""

    def __init__(
        self, count: int, destination: Any, interval: float, secret: bytes, epoll: select.epoll
    ) -> None:
        import select

        self.samples = [Samples() for _ in range(count)]
        # The probe's own longest delay.
        self.late = 0.0
        self.by_fd: dict[int, tuple[int, socket.socket]] = {}
        self._sockets: list[socket.socket] = []
        self._secret = secret
        # They take turns.
        self._step = interval / count
        self._turn = 0
        for number in range(count):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.setblocking(False)
            sock.connect(destination)
            epoll.register(sock, select.EPOLLIN)
            self._sockets.append(sock)
            self.by_fd[sock.fileno()] = (number, sock)
        self._begin = time.monotonic()

    def send_due(self, now: float) -> None:
        while self._begin + self._turn * self._step <= now:
            self.late = max(self.late, now - self._begin - self._turn * self._step)
            stream = self._turn % len(self._sockets)
            number = self.samples[stream].sent(now)
            try:
                self._sockets[stream].send(pack(self._secret, HELLO, struct.pack("!Q", number)))
            except OSError:  # a datagram that could not be sent counts as lost
                pass
            self._turn += 1

    def hear(self, fd: int, _now: float) -> None:
        stream, sock = self.by_fd[fd]
        while True:
            try:
                message = unpack(self._secret, sock.recv(256))
            except OSError:
                return
            if message is not None and message.operation == HELLO | REPLY:
                self.samples[stream].answered(struct.unpack("!Q", message.nonce)[0])


class Pings:
    """ICMP echo requests, one per interval, where this user may send them."""

    def __init__(self, destination: Any, interval: float, epoll: select.epoll) -> None:
        import select

        self.samples = Samples()
        self.by_fd: dict[int, socket.socket] = {}
        self._interval = interval
        self._mark = os.urandom(8)
        self._sock = icmp_socket(destination[0])
        self._begin = time.monotonic()
        if self._sock is not None:
            epoll.register(self._sock, select.EPOLLIN)
            self.by_fd[self._sock.fileno()] = self._sock

    def send_due(self, now: float) -> None:
        while self._sock is not None and self._begin + len(self.samples) * self._interval <= now:
            number = self.samples.sent(now)
            try:
                self._sock.send(echo_request(number, self._mark))
            except OSError:  # a request that could not be sent counts as lost
                pass

    def hear(self, fd: int, _now: float) -> None:
        while True:
            try:
                data = self.by_fd[fd].recv(256)
            except OSError:
                return
            # A raw socket also has the IP header, and receives answers to other programs.
            head, mark, number = data[-24:-16], data[-16:-8], data[-8:]
            if mark == self._mark and head[0] == 0:
                self.samples.answered(struct.unpack("!Q", number)[0])


def icmp_socket(address: str) -> socket.socket | None:
    """An ICMP socket.

    The kind for every user where `ping_group_range` allows it, or root's; None without either.
    """
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            sock = socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP)
        except OSError:
            continue
        sock.setblocking(False)
        sock.connect((address, 0))
        return sock
    return None


def echo_request(number: int, mark: bytes) -> bytes:
    body = mark + struct.pack("!Q", number)
    head = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, number & 0xFFFF)
    total = sum(struct.unpack("!12H", head + body))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return head[:2] + struct.pack("!H", ~total & 0xFFFF) + head[4:] + body


class Arrivals:
    """A new TCP connection per interval, whether the earlier ones came up or not."""

    def __init__(self, destination: Any, interval: float, epoll: select.epoll) -> None:
        # Answered: up before its SYN would be repeated.
        self.samples = Samples()
        # In the order in which they will be given up.
        self.by_fd: dict[int, tuple[int, socket.socket, float]] = {}
        self._destination = destination
        self._interval = interval
        self._epoll = epoll
        self._begin = time.monotonic()

    def send_due(self, now: float) -> None:
        while self._begin + len(self.samples) * self._interval <= now:
            self._begin_one(now)
        while self.by_fd:
            fd, (_, sock, begun) = next(iter(self.by_fd.items()))
            if now - begun < CONNECT_SECONDS:
                return
            del self.by_fd[fd]
            sock.close()

    def _begin_one(self, now: float) -> None:
        import select

        number = self.samples.sent(now)
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setblocking(False)
        # Ended with a reset: a NAT keeps it for seconds only.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if sock.connect_ex(self._destination) not in (0, errno.EINPROGRESS):
            sock.close()
            return
        self.by_fd[sock.fileno()] = (number, sock, now)
        self._epoll.register(sock, select.EPOLLOUT)

    def hear(self, fd: int, now: float) -> None:
        number, sock, begun = self.by_fd.pop(fd)
        # This process may give up too late, and whichever end repeats first brings up what was lost on either way.
        is_late = now - begun >= CONNECT_SECONDS and (
            syns_sent_again(sock) > 0 or round_trip(sock) >= CONNECT_SECONDS
        )
        if not is_late and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
            self.samples.answered(number)
        sock.close()


def syns_sent_again(sock: socket.socket) -> int:
    """Number of unanswered SYNs of a connection that just came up: `tcpi_total_retrans`."""
    return tcp_info(sock, 100)


def round_trip(sock: socket.socket) -> float:
    """Seconds from a connection's only SYN to the SYN-ACK that came: `tcpi_rtt`."""
    return tcp_info(sock, 68) / 1e6


def up_for(sock: socket.socket) -> float:
    """Seconds since a connection without data came up, in ticks of the kernel: `tcpi_last_data_recv`."""
    return tcp_info(sock, 52) / 1e3


def tcp_info(sock: socket.socket, offset: int) -> int:
    return struct.unpack_from("=I", sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), offset)[0]


def longest_outage(samples: list[tuple[float, bool]]) -> dict[str, Any]:
    """The longest time from an unanswered packet to the next answered one, in milliseconds.

    `ended` is false where none was answered after it: it lasted at least that long.
    """
    found = misses(samples)
    start, end, _, ended = max(found, key=lambda one: one[1] - one[0], default=(0.0, 0.0, 0, True))
    return {"ms": round((end - start) * 1000, 1), "ended": ended}


def missed(samples: Samples, since: float, failed_at: float) -> dict[str, Any]:
    """All packets from `since` on without an answer.

    Where a part of the flows fails, or a path comes and goes, no single outage shows the whole time.
    """
    sent = samples.since(since)
    found = misses(sent)
    lengths = [end - start for start, end, _, _ in found]
    return {
        "sent": len(sent),
        "missed": sum(count for _, _, count, _ in found),
        "outages": len(found),
        "longestMs": round(max(lengths, default=0.0) * 1000, 1),
        "totalMs": round(sum(lengths) * 1000, 1),
        "overAfterMs": round(max(0.0, found[-1][1] - failed_at) * 1000, 1) if found else None,
        "ended": found[-1][3] if found else True,
    }


def streams_figures(streams: Streams, since: float) -> dict[str, Any]:
    """Number of steady streams that missed something, and their gaps in milliseconds."""
    found = [misses(samples.since(since)) for samples in streams.samples]
    failed = [[end - start for start, end, _, _ in one] for one in found if one]
    return {
        "opened": len(streams.samples),
        "failed": len(failed),
        "longestMs": percentiles(sorted(max(lengths) * 1000 for lengths in failed)),
        "totalMs": percentiles(sorted(sum(lengths) * 1000 for lengths in failed)),
    }


def availability(kinds: dict[str, list[Samples]], since: float, until: float) -> list[dict[str, Any]]:
    """Percent of each kind's packets that were answered, by seconds from `since`; None where none was sent."""
    width = max(1, -(-int(until - since) // MAX_ENTRIES))
    counts: dict[int, dict[str, list[int]]] = {}
    for name, samples in kinds.items():
        for at, ok in (one for each in samples for one in each.since(since)):
            entry = counts.setdefault(int((at - since) / width), {})
            both = entry.setdefault(name, [0, 0])
            both[0] += 1
            both[1] += ok
    return [
        {
            "startSeconds": number * width,
            **{name: percent(counts[number].get(name)) for name in kinds},
        }
        for number in sorted(counts)
    ]


def percent(both: list[int] | None) -> float | None:
    return None if both is None else round(100 * both[1] / both[0], 2)
