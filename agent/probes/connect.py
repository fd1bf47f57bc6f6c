"""connect: the TCP-connect prober, a tool like iperf3."""

from __future__ import annotations

import errno
import math
import socket
import time

from common.documents import PROTOCOL_VERSION, print_document
from common.errors import BadInput, reason
from common.latency import latency_statistics
from common.options import TEXT, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


MICROSECONDS = 1_000_000
# After the end, for attempts that are due and late.
GRACE_SECONDS = 1.0

# Linux sends a lost SYN again after a second.
OUTAGE_SECONDS = 1.0
MAX_OUTAGES = 20


def connect(arguments: list[str]) -> None:
    """usage: agent.py connect --address A --port P --duration SECONDS [--interval-ms 10] [--timeout-ms 3000]

    Opens a TCP connection every --interval-ms and times each from the instant at which it was due to its SYN-ACK, so
    that those that had to wait for one in trouble count what they waited. A lost SYN is sent again after a second,
    and so shows as a latency of about 1 s, or as a failure (ETIMEDOUT) where --timeout-ms is shorter. What is due and
    cannot be tried until a second after the end is `notSent`. With --interval-ms 0 one follows the other.

    Every probe is a new flow: what a NAT has to allocate a mapping for. It is ended with a reset, so that a
    NAT keeps the mapping for seconds (Linux 10 s) instead of minutes and the client has no TIME_WAIT: else a
    fast probe would measure the exhaustion of ports.
    """
    given = options(
        arguments,
        {
            "address": (None, *TEXT),
            "port": (None, 1, 65535),
            "duration": (None, 0.001, 7 * 86400),
            "interval-ms": ("10", 0, 3_600_000),
            "timeout-ms": ("3000", 1, 60_000),
        },
    )
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            given["address"], int(given["port"]), type=socket.SOCK_STREAM
        )[0]
    except (OSError, ValueError) as error:
        raise BadInput(
            f"--address: expected an IP address, got {given['address']}: {reason(error)}"
        ) from None
    pause = float(given["interval-ms"]) / 1000
    timeout = float(given["timeout-ms"]) / 1000
    outages = Outages()
    begin = time.monotonic()

    def attempt() -> Any:
        started = time.monotonic()
        outcome = probe(family, kind, address, timeout)
        outages.add(started - begin, time.monotonic() - begin, not isinstance(outcome, str))
        return outcome

    latencies, errors, not_sent = on_schedule(attempt, pause, float(given["duration"]))
    failed = sum(errors.values())
    print_document(
        {
            "version": PROTOCOL_VERSION,
            "attempted": len(latencies) + failed,
            "failed": failed,
            "durationSeconds": round(time.monotonic() - begin, 3),
            "errors": errors,
            "outages": outages.found(),
            "notSent": not_sent,
            "latencyUs": latency_statistics(latencies),
        }
    )


class Outages:
    """Times in which no connection came up, a lost SYN that was sent again included."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = 0.0
        self._found: list[dict[str, float]] = []

    def add(self, started: float, ended: float, connected: bool) -> None:
        """A probe, in seconds from the start of the tool."""
        late = ended - started >= OUTAGE_SECONDS
        if self._since is None and (late or not connected):
            self._since = started
        self._last = ended
        if connected:
            self._close(ended)

    def found(self) -> list[dict[str, float]]:
        self._close(self._last)
        return self._found

    def _close(self, end: float) -> None:
        if self._since is not None and end - self._since >= OUTAGE_SECONDS and len(self._found) < MAX_OUTAGES:
            self._found.append(
                {"startSeconds": round(self._since, 2), "seconds": round(end - self._since, 2)}
            )
        self._since = None


def on_schedule(
    attempt: Callable[[], Any],
    interval: float,
    duration: float,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[list[float], dict[str, int], int]:
    """Makes an attempt every `interval` seconds for `duration`; microseconds of those that succeeded, errors, and
    how many were due and could not be made.

    An attempt tells the microseconds that it took, or an error. One that was due while another was under way starts
    late, and counts from when it was due: else an outage of many intervals would be a single slow sample. Attempts
    that keep to their schedule count their own time alone, without what this process took to wake up.
    """
    latencies: list[float] = []
    errors: dict[str, int] = {}
    begin = now()
    planned = math.ceil(duration / interval) if interval > 0 else 0
    made, due, free, end = 0, begin, begin, begin + duration
    while (made < planned or (interval <= 0 and now() < end)) and now() < end + GRACE_SECONDS:
        if due > now():
            sleep(due - now())
        waited = max(0.0, free - due)
        outcome = attempt()
        free = now()
        if isinstance(outcome, str):
            errors[outcome] = errors.get(outcome, 0) + 1
        else:
            latencies.append(outcome + waited * MICROSECONDS)
        made += 1
        due = begin + made * interval if interval > 0 else free
    return latencies, errors, max(0, planned - made)


def probe(family: int, kind: int, address: Any, timeout: float) -> Any:
    """Microseconds that a connection took to come up, or the name of the error."""
    import struct

    try:
        with socket.socket(family, kind) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.settimeout(timeout)
            begin = time.perf_counter_ns()
            sock.connect(address)
            return (time.perf_counter_ns() - begin) / 1000
    except socket.timeout:
        return "ETIMEDOUT"
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "EIO")
