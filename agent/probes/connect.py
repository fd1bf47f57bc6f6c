"""connect: the TCP-connect prober, a tool like iperf3."""

from __future__ import annotations

import errno
import math
import select
import socket
import struct
import time

from common.contract import options_of
from common.documents import PROTOCOL_VERSION, print_document
from common.errors import BadInput, reason
from common.latency import latency_statistics
from common.limits import MAX_OUTAGES
from common.options import DURATION, ENDPOINT, options
from probes.failover_traffic import CONNECT_SECONDS, round_trip, syns_sent_again, up_for
from probes.misses import misses
from probes.nat_wire import raise_file_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from probes.misses import Miss

MICROSECONDS = 1_000_000
# Seconds after the schedule's end, or the connections' own time-out, when unanswered ones are given up.
GRACE_SECONDS = 2.0
# Connections that may be open at once. Each has a port of its own; Linux has 28,000 for one destination.
MAX_OPEN = 20_000
SPARE_FILES = 32

# A longer delay of this process is corrected by the kernel's measured round-trip time.
HEARD_LATE_SECONDS = 0.01
# Least lost SYNs in a row, and least length, of an outage: fewer can be chance.
LEAST_MISSES = 3
LEAST_OUTAGE_SECONDS = 0.1

TIMED_OUT = errno.errorcode[errno.ETIMEDOUT]


def read_options(arguments: list[str]) -> dict[str, str]:
    usual, _, longest = options_of("connect")["interval-ms"]
    return options(
        arguments,
        {
            **ENDPOINT,
            "duration": DURATION,
            "interval-ms": (usual, 0, longest),
            "timeout-ms": ("3000", 1, 60_000),
            "max-open": (str(MAX_OPEN), 1, MAX_OPEN),
        },
    )


def connect(arguments: list[str]) -> None:
    """usage: agent.py connect --address A --port P --duration SECONDS [--interval-ms 10] [--timeout-ms 3000]

    Begins a TCP connection every --interval-ms, whatever became of those before, and times each from its SYN to its
    SYN-ACK. A lost SYN is sent again after a second, and so shows as a latency of about 1 s, or as a failure
    (ETIMEDOUT) where --timeout-ms is shorter. An outage is a time in which no SYN was answered at once. `openLimit`
    is there where so many connections waited that no more could begin: those that were due are `notSent`. `lateMs` is
    how late the probe itself began one at most; an answer that it heard late has the kernel's time. With --interval-ms
    0 one follows the other.

    Every probe is a new flow: what a NAT has to allocate a mapping for. It is ended with a reset, so that a
    NAT keeps the mapping for seconds (Linux 10 s) instead of minutes and the client has no TIME_WAIT: else a
    fast probe would measure the exhaustion of ports.
    """
    given = read_options(arguments)
    try:
        family, _, _, _, address = socket.getaddrinfo(
            given["address"], int(given["port"]), type=socket.SOCK_STREAM
        )[0]
    except (OSError, ValueError) as error:
        raise BadInput(
            f"--address: expected an IP address, got {given['address']}: {reason(error)}"
        ) from None
    interval = float(given["interval-ms"]) / 1000
    most = int(given["max-open"])
    most = min(most, raise_file_limit(most + SPARE_FILES) - SPARE_FILES) if interval > 0 else 1
    prober = Prober(family, address, float(given["timeout-ms"]) / 1000, most)
    duration, not_sent, late = prober.on_schedule(interval, float(given["duration"]))
    failed = sum(prober.errors.values())
    print_document(
        {
            "version": PROTOCOL_VERSION,
            "attempted": len(prober.latencies) + failed,
            "failed": failed,
            "durationSeconds": round(duration, 3),
            "errors": prober.errors,
            "outages": outages_of(misses(prober.samples(), interval)),
            "notSent": not_sent,
            **({"openLimit": most} if not_sent > 0 else {}),
            "lateMs": round(late * 1000, 1),
            "latencyUs": latency_statistics(prober.latencies),
        }
    )


def outages_of(found: list[Miss]) -> list[dict[str, float]]:
    """Times without an answered SYN, too long to be chance; the longest ones if many, in order."""
    long = [
        (start, end - start)
        for start, end, count, _ in found
        if count >= LEAST_MISSES and end - start >= LEAST_OUTAGE_SECONDS
    ]
    kept = sorted(sorted(long, key=lambda one: -one[1])[:MAX_OUTAGES])
    return [{"startSeconds": round(start, 2), "seconds": round(seconds, 2)} for start, seconds in kept]


class Connecting:
    """A connection without an answer so far."""

    __slots__ = ("sock", "number", "begun")

    def __init__(self, sock: socket.socket, number: int, begun: float) -> None:
        self.sock = sock
        self.number = number
        self.begun = begun


class Prober:
    """Connections to one address, each started when due."""

    def __init__(self, family: int, address: Any, timeout: float, most: int) -> None:
        # Connect times in microseconds, and for failed connections the count per error.
        self.latencies: list[float] = []
        self.errors: dict[str, int] = {}
        self._family = family
        self._address = address
        self._timeout = timeout
        self._most = most
        self._begin = time.monotonic()
        # Start of each connection in seconds from the beginning, and whether its first SYN was answered.
        self._begun: list[float] = []
        self._answered = bytearray()
        # In the order in which they will be given up.
        self._pending: dict[int, Connecting] = {}
        self._epoll = select.epoll()

    def samples(self) -> list[tuple[float, bool]]:
        """Start of each connection, in seconds from the beginning, and whether its first SYN was answered."""
        return list(zip(self._begun, map(bool, self._answered)))

    def on_schedule(self, interval: float, duration: float) -> tuple[float, int, float]:
        """Seconds of the schedule, connections that were due and could not start, and the longest delay of
        one.

        Without an interval each connection is due when there is room, and none is late.
        """
        end = self._begin + duration
        planned = math.ceil(duration / interval) if interval > 0 else None
        turn, not_sent, late = 0, 0, 0.0
        while planned is None or turn < planned:
            now = time.monotonic()
            due = now if interval <= 0 else self._begin + turn * interval
            room = len(self._pending) < self._most
            if due >= end:
                break
            if due > now or (planned is None and not room):
                self._hear(min(due, end) - now if due > now else end - now)
                continue
            turn += 1
            late = max(late, now - due)
            if room:
                self._start()
            else:
                not_sent += 1
            self._hear(0)
        lasted = min(time.monotonic(), max(end, self._begin)) - self._begin
        self._rest()
        return lasted if planned is None else max(lasted, duration), not_sent, late

    def _rest(self) -> None:
        """Starts nothing more, and waits for connections under way."""
        give_up = time.monotonic() + min(GRACE_SECONDS, self._timeout)
        while self._pending and time.monotonic() < give_up:
            self._hear(give_up - time.monotonic())
        self._hear(0)  # what came while this process had no processor
        for fd in list(self._pending):
            self._end(fd, TIMED_OUT, time.monotonic())

    def _start(self) -> None:
        try:
            sock = socket.socket(self._family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError as error:
            self._fail(errno.errorcode.get(error.errno or 0, "EIO"))
            return
        begun = time.monotonic()
        self._begun.append(begun - self._begin)
        self._answered.append(0)
        outcome = sock.connect_ex(self._address)
        fd = sock.fileno()
        self._pending[fd] = Connecting(sock, len(self._begun) - 1, begun)
        if outcome == errno.EINPROGRESS:
            # On a short path the answer came in the same call: asking again costs less than an event.
            outcome = sock.connect_ex(self._address)
        if outcome in (errno.EINPROGRESS, errno.EALREADY):
            self._epoll.register(fd, select.EPOLLOUT)
        else:
            self._end(fd, name_of(outcome), time.monotonic())

    def _hear(self, seconds: float) -> None:
        """Waits for answers, at most until the next one is given up. `select` counts microseconds."""
        if self._pending and seconds > 0:
            oldest = next(iter(self._pending.values()))
            seconds = min(seconds, max(0.0, oldest.begun + self._timeout - time.monotonic()))
        if self._pending or seconds > 0:
            select.select([self._epoll], [], [], max(0.0, seconds))
        now = time.monotonic()
        for fd, _ in self._epoll.poll(0, MAX_OPEN) if self._pending else []:
            error = self._pending[fd].sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            self._end(fd, name_of(error), now)
        while self._pending:
            fd, oldest = next(iter(self._pending.items()))
            if now - oldest.begun < self._timeout:
                return
            self._end(fd, TIMED_OUT, now)

    def _end(self, fd: int, error: str | None, now: float) -> None:
        one = self._pending.pop(fd)
        took = now - one.begun
        # For an answer noticed late, the kernel knows how long the first SYN took, or since when the connection
        # is up.
        if error is None and took >= HEARD_LATE_SECONDS:
            by_kernel = took - up_for(one.sock) if syns_sent_again(one.sock) else round_trip(one.sock)
            took = by_kernel if took - by_kernel >= HEARD_LATE_SECONDS else took
        one.sock.close()
        # Answers are heard before the time-out is looked at, so one may have come too late.
        if error is not None or took > self._timeout:
            self._fail(error or TIMED_OUT)
            return
        self.latencies.append(took * MICROSECONDS)
        self._answered[one.number] = took < CONNECT_SECONDS

    def _fail(self, error: str) -> None:
        self.errors[error] = self.errors.get(error, 0) + 1


def name_of(code: int) -> str | None:
    """An errno's name; None for 0."""
    return errno.errorcode.get(code, "EIO") if code else None
