"""New TCP connections, as many a second as this host can open: the connection-rate probe of nat_limits.py."""

from __future__ import annotations

import errno
import json
import os
import random
import select
import socket
import struct
import time
from itertools import cycle, islice

from common.latency import latency_statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMEOUT_SECONDS = 3.0
# A connection that takes longer than this, and than three times the fastest, waits for a dropped SYN. It does
# not count as under way: otherwise a path that drops some would seem as slow as this probe is patient.
STALLED_SECONDS = 0.1
STALLED_TIMES = 3
# Most connections of all workers that may wait so.
MAX_STALLED = 4096
MAX_WORKERS = 8
# Latencies that a worker keeps, a fair sample of all.
MAX_SAMPLES = 20_000
# Pause of a worker that cannot start a connection.
PAUSE_SECONDS = 0.001
# The range of source ports: all unprivileged ones, as in nat_flows.py.
FIRST_PORT, LAST_PORT = 1024, 65535


def connection_rate(family: int, destination: Any, seconds: float, concurrency: int) -> dict[str, Any]:
    """Opens connections from a process for each CPU, with `concurrency` under way in total.

    Those under way at the end are awaited, but count only if they fail: a SYN repeated a second later must
    not lengthen the measured time.
    """
    workers = max(1, min(len(os.sched_getaffinity(0)), MAX_WORKERS, concurrency))
    begin = time.monotonic()
    shares = [concurrency // workers + (index < concurrency % workers) for index in range(workers)]
    pipes = [
        fork_worker(
            family,
            destination,
            begin + seconds,
            share,
            MAX_STALLED // workers,
            range(FIRST_PORT + index, LAST_PORT + 1, workers),
        )
        for index, share in enumerate(shares)
    ]
    parts = [json.loads(read_all(pipe)) for pipe in pipes]
    for _ in pipes:
        os.wait()
    errors: dict[str, int] = {}
    for part in parts:
        for name, times in part["errors"].items():
            errors[name] = errors.get(name, 0) + times
    failed = sum(errors.values())
    return {
        "attempted": sum(part["succeeded"] for part in parts) + failed,
        "failed": failed,
        "durationSeconds": seconds,
        "errors": errors,
        "latencyUs": latency_statistics([sample for part in parts for sample in part["samples"]]),
    }


def fork_worker(
    family: int, destination: Any, end: float, concurrency: int, most_stalled: int, ports: range
) -> int:
    """Starts a worker; returns the pipe of its figures."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            worker = Worker(family, destination, end, ports)
            worker.run(concurrency, most_stalled)
            document = {"succeeded": worker.succeeded, "errors": worker.errors, "samples": worker.samples}
            with os.fdopen(writing, "w") as pipe:
                json.dump(document, pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    return reading


def read_all(pipe: int) -> str:
    with os.fdopen(pipe) as stream:
        return stream.read()


def older_than(waiting: dict[int, tuple[socket.socket, int]], seconds: float) -> int | None:
    """Descriptor of the oldest connection, if it is older than that."""
    for fd, (_, begin) in waiting.items():
        return fd if time.perf_counter_ns() - begin >= seconds * 1e9 else None
    return None


class Worker:
    def __init__(self, family: int, destination: Any, end: float, ports: range) -> None:
        self.succeeded = 0
        self.errors: dict[str, int] = {}
        self.samples: list[float] = []
        self._family = family
        self._destination = destination
        self._end = end
        # Ports in turn, so that each rests for as long as possible: a NAT may hold it for a while.
        self._ports = cycle(ports)
        self._port_count = len(ports)
        self._epoll = select.epoll()
        # By descriptor, in the order of their start (ns).
        self._pending: dict[int, tuple[socket.socket, int]] = {}
        self._stalled: dict[int, tuple[socket.socket, int]] = {}
        self._next_aside = 0.0
        self._fastest = float("inf")

    def run(self, concurrency: int, most_stalled: int) -> None:
        while True:
            self._set_aside(concurrency, most_stalled)
            while len(self._pending) < concurrency and time.monotonic() < self._end:
                if not self._start():
                    time.sleep(PAUSE_SECONDS)
                    break
            if not self._pending and not self._stalled:
                if time.monotonic() >= self._end:
                    return
                continue
            for fd, _ in self._epoll.poll(STALLED_SECONDS / concurrency, 1024):
                sock, begin = (self._pending if fd in self._pending else self._stalled).pop(fd)
                outcome = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                took = time.perf_counter_ns() - begin
                self._fastest = min(self._fastest, took / 1e9)
                self._count(outcome, took / 1000)
                sock.close()
            self._expire()

    def _start(self) -> bool:
        """Starts a connection. False where it fails at once."""
        try:
            sock = socket.socket(self._family, socket.SOCK_STREAM)
        except OSError as error:
            self._count(error.errno or errno.EIO, 0)
            return False
        sock.setblocking(False)
        # Ended with a reset: no TIME_WAIT on either end, and a NAT forgets the connection soon (Linux: 10 s).
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        outcome = self._bind(sock)
        begin = time.perf_counter_ns()
        outcome = outcome or sock.connect_ex(self._destination)
        if outcome not in (0, errno.EINPROGRESS):
            sock.close()
            self._count(outcome, 0)
            return False
        self._pending[sock.fileno()] = (sock, begin)
        self._epoll.register(sock, select.EPOLLOUT)
        return True

    def _bind(self, sock: socket.socket) -> int:
        """Binds the next free port.

        The kernel's own range has less than half of them. Returns 0, or an errno.
        """
        for port in islice(self._ports, self._port_count):
            try:
                sock.bind(("", port))
                return 0
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    return error.errno or errno.EIO
        return errno.EADDRNOTAVAIL

    def _set_aside(self, concurrency: int, most: int) -> None:
        """Sets one stalled connection aside at a time, evenly spread.

        A limiter that gets many at once, and then none, admits fewer than it could.
        """
        fastest = self._fastest if self._fastest < TIMEOUT_SECONDS else 0
        seconds = max(STALLED_SECONDS, STALLED_TIMES * fastest)
        now = time.monotonic()
        fd = older_than(self._pending, seconds) if now >= self._next_aside else None
        if fd is not None and len(self._stalled) < most:
            self._stalled[fd] = self._pending.pop(fd)
            self._next_aside = now + seconds / concurrency

    def _expire(self) -> None:
        for waiting in (self._stalled, self._pending):
            while (fd := older_than(waiting, TIMEOUT_SECONDS)) is not None:
                waiting.pop(fd)[0].close()
                self._count(errno.ETIMEDOUT, 0)

    def _count(self, outcome: int, microseconds: float) -> None:
        if outcome != 0:
            name = errno.errorcode.get(outcome, "EIO")
            self.errors[name] = self.errors.get(name, 0) + 1
            return
        if time.monotonic() > self._end:
            return
        self.succeeded += 1
        if len(self.samples) < MAX_SAMPLES:
            self.samples.append(round(microseconds, 1))
        else:
            place = random.randrange(self.succeeded)
            if place < MAX_SAMPLES:
                self.samples[place] = round(microseconds, 1)
