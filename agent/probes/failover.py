"""usage: agent.py probe failover --address A --port P --sink-port Q --kind kill|stop|reboot|blackhole|drain
  --duration SECONDS [--flows 1000] [--down-seconds 5] [--interval-ms 10]

Opens --flows TCP connections and as many UDP flows to the NAT responder and holds them, sends a datagram every
--interval-ms on one flow more, and opens a TCP connection at every second turn of that. Then it has the active NAT
instance of the path fail, keeps on for --duration seconds, and prints one JSON document: how long new and established
flows were cut off, what became of those that were held, and when all NAT instances were ready again.

Who the NAT instances are is in EGRESS_BENCH_NAT_HOSTS, which `agent.py run` sets. Where there is none that can have the
failure, the document says why in `nothingToFail`, and nothing was sent.
"""

from __future__ import annotations

import select
import socket
import time

from common.documents import print_document
from common.errors import AgentError, BadInput, reason
from common.options import TEXT, options
from daemon.control_port import read_secret
from daemon.failures import KINDS, MAX_DOWN_SECONDS
from probes.failover_hosts import NatHosts, NothingToFail
from probes.failover_traffic import BEAT_SECONDS, GRACE_SECONDS, Arrivals, HeldFlows, Stream, longest_outage
from probes.nat_flows import Flows
from probes.nat_wire import raise_file_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OUTPUT_VERSION = 1
OPEN_SECONDS = 30.0
OPEN_WINDOW = 128
# Without a failure, so that a standby has heard of the last flow, and the figures have a before.
LEAD_SECONDS = 2.0
SPARE_FILES = 256
# A connection costs more than a datagram.
INTERVALS_A_CONNECTION = 2


def measure(arguments: list[str]) -> None:
    given = options(
        arguments,
        {
            "address": (None, *TEXT),
            "port": (None, 1, 65535),
            "sink-port": (None, 1, 65535),
            "kind": (None, *TEXT),
            "duration": (None, 1, 3600),
            "flows": ("1000", 1, 20_000),
            "down-seconds": ("5", 0, MAX_DOWN_SECONDS),
            "interval-ms": ("10", 1, 1000),
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
    if raise_file_limit(2 * flows + SPARE_FILES) < 2 * flows + SPARE_FILES:
        raise AgentError(f"--flows: this host may open fewer than {2 * flows + SPARE_FILES} files")
    opened = {name: open_flows(given, name, flows, secret) for name in ("tcp", "udp")}
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
        **traffic.figures(asking),
        "readyAgainMs": round((hosts.ready_at - hosts.provoked_at) * 1000) if hosts.ready_at else None,
    }


def open_flows(given: dict[str, str], protocol: str, count: int, secret: bytes) -> Flows:
    destination = (given["address"], int(given["port"]))
    flows = Flows(socket.AF_INET, destination, protocol, secret, OPEN_WINDOW)
    flows.open(count, OPEN_SECONDS)
    if len(flows.alive) < count:
        why = flows.first_error or flows.local_error or f"{OPEN_SECONDS:g} s were not enough"
        raise AgentError(f"{len(flows.alive)} of {count} {protocol.upper()} flows could be opened: {why}")
    return flows


class Traffic:
    """All that is sent, in one loop: nothing waits for anything else."""

    def __init__(self, given: dict[str, str], opened: dict[str, Flows], secret: bytes) -> None:
        interval = float(given["interval-ms"]) / 1000
        self._epoll = select.epoll()
        self._held = {
            name: HeldFlows(list(flows.alive), name == "tcp", secret, self._epoll)
            for name, flows in opened.items()
        }
        self._stream = Stream((given["address"], int(given["port"])), interval, secret)
        self._epoll.register(self._stream.sock, select.EPOLLIN)
        sink = (given["address"], int(given["sink-port"]))
        self._arrivals = Arrivals(sink, INTERVALS_A_CONNECTION * interval, self._epoll)
        self._turn = min(interval, 0.01)

    def until(self, end: float) -> None:
        while True:
            now = time.monotonic()
            if now >= end:
                return
            self._stream.send_due(now)
            self._arrivals.send_due(now)
            for held in self._held.values():
                held.send_due(now)
            self._hear(self._turn)

    def rest(self, end: float) -> None:
        """Begins nothing more, and waits for what is on its way."""
        again = time.monotonic()
        while time.monotonic() < end and (
            self._arrivals.pending or any(held.awaited() for held in self._held.values())
        ):
            self._hear(self._turn)
            if time.monotonic() - again >= BEAT_SECONDS / 2:
                again = time.monotonic()
                for held in self._held.values():
                    held.ask_again(again)

    def figures(self, since: float) -> dict[str, Any]:
        return {
            "outages": {
                "new": longest_outage(self._arrivals.begun, since),
                "established": longest_outage(self._stream.sent, since),
            },
            "flows": {name: held.figures() for name, held in self._held.items()},
            "lateMs": round(self._stream.late * 1000, 1),
        }

    def _hear(self, seconds: float) -> None:
        for fd, _ in self._epoll.poll(seconds, 4096):
            now = time.monotonic()
            if fd == self._stream.sock.fileno():
                self._stream.hear()
            elif fd in self._arrivals.pending:
                self._arrivals.hear(fd)
            else:
                for held in self._held.values():
                    if fd in held.by_fd:
                        held.hear(fd, now)
