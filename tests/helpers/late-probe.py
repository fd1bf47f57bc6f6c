"""A failover probe that gets no processor for a second: of two new connections the first one's SYN is lost, and both are heard
late. Argument: the agent's directory. Prints whether each counts as answered."""

import json
import select
import socket
import sys
import time

sys.path.insert(0, sys.argv[1])

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


# A queue of one connection: where it is full, SYNs are dropped.
full, empty = (socket.create_server(("127.0.0.1", 0), backlog=0) for _ in range(2))
filling = socket.create_connection(full.getsockname())
print(json.dumps({"lost": answered(full, 0.3), "heardLate": answered(empty, CONNECT_SECONDS + 0.1)}))
