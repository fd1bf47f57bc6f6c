"""usage: agent.py probe failover --address A --port P --sink-port Q --kind kill|stop|reboot|blackhole|drain
  --duration SECONDS [--flows 1000] [--down-seconds 5] [--interval-ms 10]

Opens --flows TCP connections and as many UDP flows to the NAT responder and holds them; each sends a message every
second, which the responder echoes. Also holds a fifth as many TCP connections of each further kind: only the client
sends, only the server sends, nobody sends. Every --interval-ms it sends a datagram on each of eight more flows, and at
every second turn also an ICMP echo request and a new TCP connection. Then it makes the path's active NAT instance fail,
continues for --duration seconds, and prints one JSON document: how long new and established flows were cut off, what
became of the held flows, and when all NAT instances were ready again.

EGRESS_BENCH_NAT_HOSTS, which `agent.py run` sets, names the NAT instances. If none of them can have the failure, the
document says why in `nothingToFail`, and nothing is sent.
"""

from __future__ import annotations

import select
import socket
import time

from common.contract import options_of
from common.documents import print_document
from common.errors import AgentError, BadInput, reason
from common.options import CASE_DURATION, PORT, TEXT, options
from daemon.control_port import read_secret
from daemon.failures import KINDS
from probes.failover_flows import (
    BEAT_SECONDS,
    EchoConnections,
    EchoDatagrams,
    IdleConnections,
    ReceivingConnections,
    SendingConnections,
)
from probes.failover_hosts import NatHosts, NothingToFail
from probes.failover_traffic import (
    GRACE_SECONDS,
    Arrivals,
    Pings,
    Streams,
    availability,
    longest_outage,
    missed,
    streams_figures,
)
from probes.nat_flows import Flows
from probes.nat_wire import HELLO, SINK, SOURCE, raise_file_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OUTPUT_VERSION = 1
OPEN_SECONDS = 30.0
OPEN_WINDOW = 128
# Seconds before the failure, so that a standby has copied the last flow, and the figures have a before.
LEAD_SECONDS = 2.0
SPARE_FILES = 256
# Intervals between connections, which cost more than datagrams.
INTERVALS_A_CONNECTION = 2
# Number of steady streams: a path may fail for a part of the flows, and some of them are in that part.
STREAMS = 8
# Divisor for each other kind of connection.
FEWER = 5

# Kinds by their names in results: protocol, the request to the responder, and the flows' behaviour.
ECHOING = {
    "tcp": ("tcp", HELLO, EchoConnections),
    "udp": ("udp", HELLO, EchoDatagrams),
}
FURTHER = {
    "sending": ("tcp", SINK, SendingConnections),
    "receiving": ("tcp", SOURCE, ReceivingConnections),
    "idle": ("tcp", HELLO, IdleConnections),
}


def read_options(arguments: list[str]) -> dict[str, str]:
    given = options(
        arguments,
        {
            "address": (None, *TEXT),
            "port": PORT,
            "sink-port": PORT,
            "kind": (None, *TEXT),
            "duration": CASE_DURATION,
            **options_of("failover"),
        },
    )
    if given["kind"] not in KINDS:
        raise BadInput(f"--kind: expected one of {', '.join(KINDS)}, got {given['kind']}")
    try:
        socket.inet_pton(socket.AF_INET, given["address"])
    except OSError as error:
        raise BadInput(
            f"--address: expected an IPv4 address, got {given['address']}: {reason(error)}"
        ) from None
    return given


def measure(arguments: list[str]) -> None:
    given = read_options(arguments)
    head = {"version": OUTPUT_VERSION, "kind": given["kind"]}
    secret = read_secret()
    hosts = NatHosts(secret)
    try:
        hosts.choose(given["kind"])
    except NothingToFail as why:
        print_document({**head, "nothingToFail": str(why)})
        return
    print_document({**head, **run(given, secret, hosts)})


def run(given: dict[str, str], secret: bytes, hosts: NatHosts) -> dict[str, Any]:
    flows = int(given["flows"])
    fewer = max(1, flows // FEWER)
    files = len(ECHOING) * flows + len(FURTHER) * fewer + SPARE_FILES
    if raise_file_limit(files) < files:
        raise AgentError(f"--flows: this host may open fewer than {files} files")
    opened = {name: open_flows(given, flows, secret, *kind[:2]) for name, kind in ECHOING.items()}
    opened.update({name: open_flows(given, fewer, secret, *kind[:2]) for name, kind in FURTHER.items()})
    begin = time.monotonic()
    traffic = Traffic(given, opened, secret)
    end = begin + LEAD_SECONDS + float(given["duration"])
    traffic.until(begin + LEAD_SECONDS)
    asking = time.monotonic()
    thread = hosts.provoke(given["kind"], float(given["down-seconds"]), end)
    traffic.until(end)
    traffic.rest(end + GRACE_SECONDS)
    thread.join(1)
    if hosts.provoked_at is None:
        raise AgentError(hosts.problem or "the request to fail had no answer")
    return {
        "failedHost": hosts.failed_host,
        "durationSeconds": round(end - hosts.provoked_at, 3),
        **traffic.figures(asking, hosts.provoked_at, end),
        "readyAgainMs": round((hosts.ready_at - hosts.provoked_at) * 1000) if hosts.ready_at else None,
    }


def open_flows(given: dict[str, str], count: int, secret: bytes, protocol: str, operation: int) -> list[Any]:
    destination = (given["address"], int(given["port"]))
    flows = Flows(socket.AF_INET, destination, protocol, secret, OPEN_WINDOW)
    flows.first = (operation, int(BEAT_SECONDS * 1000))
    flows.open(count, OPEN_SECONDS)
    if len(flows.alive) < count:
        why = flows.first_error or flows.local_error or f"{OPEN_SECONDS:g} s were not enough"
        raise AgentError(f"{len(flows.alive)} of {count} {protocol.upper()} flows could be opened: {why}")
    return list(flows.alive)


class Traffic:
    """All traffic in one loop: nothing waits for anything else."""

    def __init__(self, given: dict[str, str], opened: dict[str, list[Any]], secret: bytes) -> None:
        interval = float(given["interval-ms"]) / 1000
        self._epoll = select.epoll()
        kinds = {**ECHOING, **FURTHER}
        self._held = {name: kinds[name][2](flows, secret, self._epoll) for name, flows in opened.items()}
        responder, sink = ((given["address"], int(given[port])) for port in ("port", "sink-port"))
        self._streams = Streams(STREAMS, responder, interval, secret, self._epoll)
        self._pings = Pings(responder, INTERVALS_A_CONNECTION * interval, self._epoll)
        self._arrivals = Arrivals(sink, INTERVALS_A_CONNECTION * interval, self._epoll)
        self._senders: list[Any] = [self._streams, self._pings, self._arrivals, *self._held.values()]
        self._turn = min(interval / STREAMS, 0.01)

    def until(self, end: float) -> None:
        while True:
            now = time.monotonic()
            if now >= end:
                return
            for sender in self._senders:
                sender.send_due(now)
            self._hear(self._turn)

    def rest(self, end: float) -> None:
        """Begins nothing more, and waits for outstanding answers."""
        again = time.monotonic()
        for held in self._held.values():
            held.rest(again)
        while time.monotonic() < end and (
            self._arrivals.by_fd or any(held.awaited() for held in self._held.values())
        ):
            self._hear(self._turn)
            if time.monotonic() - again >= BEAT_SECONDS / 2:
                again = time.monotonic()
                for held in self._held.values():
                    held.ask_again(again)

    def figures(self, since: float, failed_at: float, until: float) -> dict[str, Any]:
        """Figures from `since`, before the failure was requested; times count from the failure."""
        samples = {"new": [self._arrivals.samples], "established": self._streams.samples}
        # Without an answer before the failure, ICMP is refused elsewhere on the path or at the server.
        pings = [self._pings.samples] if self._pings.samples.any_before(since) else []
        return {
            "outages": {name: longest_outage(all_of[0].since(since)) for name, all_of in samples.items()},
            "missed": {
                "new": missed(self._arrivals.samples, since, failed_at),
                "icmp": missed(self._pings.samples, since, failed_at) if pings else None,
            },
            "streams": streams_figures(self._streams, since),
            "availability": availability({**samples, "icmp": pings}, since, until),
            "flows": {name: self._held[name].figures() for name in ECHOING},
            "kinds": {name: self._held[name].figures() for name in FURTHER},
            "lateMs": round(self._streams.late * 1000, 1),
        }

    def _hear(self, seconds: float) -> None:
        for fd, _ in self._epoll.poll(seconds, 4096):
            now = time.monotonic()
            sender = next((one for one in self._senders if fd in one.by_fd), None)
            if sender is not None:
                sender.hear(fd, now)
