"""A failover probe, and a connect probe, that get no processor for a while: of three new connections the first one's SYN is
lost, all are heard late, and the server has repeated a lost answer to the third. Argument: the agent's directory. Prints whether
each counts as answered."""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from typing import Iterator

sys.path.insert(0, sys.argv[1])

from probes import connect, failover_traffic  # noqa: E402
from probes.failover_traffic import CONNECT_SECONDS, Arrivals  # noqa: E402


def answered(listener: socket.socket, between: float) -> bool:
    epoll = select.epoll()
    arrivals = Arrivals(listener.getsockname(), 60.0, epoll)
    arrivals.send_due(time.monotonic())
    time.sleep(between)
    while listener in select.select([listener], [], [], 0)[0]:
        listener.accept()[0].close()
    [(fd, _)] = epoll.poll(30)
    arrivals.hear(fd, time.monotonic())
    return arrivals.samples.since(0)[0][1]


def heard(listener: socket.socket, late: float) -> list[bool]:
    """Runs the connect probe with late answers: whether the SYN was answered, and at once."""
    prober = connect.Prober(socket.AF_INET, listener.getsockname(), 60.0, 1)
    clock = iter([late, 0.0])
    connect.time = Clock(clock)
    prober._start()
    connect.time = time
    time.sleep(0.3)
    while listener in select.select([listener], [], [], 0)[0]:
        listener.accept()[0].close()
    while not prober.latencies:
        prober._hear(1.0)
    [(_, is_answered)] = prober.samples()
    return [is_answered, prober.latencies[0] < late * 1_000_000]


class Clock:
    """Dates the start of each connection back."""

    def __init__(self, before: Iterator[float]) -> None:
        self._before = before

    def monotonic(self) -> float:
        return time.monotonic() - next(self._before)


# A queue of one connection: where it is full, SYNs are dropped.
listeners = [socket.create_server(("127.0.0.1", 0), backlog=0) for _ in range(4)]
full, empty, full_too, empty_too = listeners
filling = [socket.create_connection(one.getsockname()) for one in (full, full_too)]
found = {
    "lost": answered(full, 0.3),
    "heardLate": answered(empty, CONNECT_SECONDS + 0.1),
    "connectLost": heard(full_too, 5.0)[0],
    "connectHeardLate": heard(empty_too, 5.0),
}
connect.round_trip = failover_traffic.round_trip = lambda _: 1.02
found["answerLost"] = answered(empty, CONNECT_SECONDS + 0.1)
found["connectAnswerLost"] = heard(empty_too, 5.0)[0]
print(json.dumps(found))
