#!/usr/bin/env python3
"""Finds what only a NAT limits. Runs on a client, against nat_responder.py on the server.

  connection-rate   --address A --port P --duration SECONDS [--concurrency 128]
  concurrent-flows  --address A --port P --protocol tcp|udp --duration SECONDS [--max-flows 70000]
                    [--concurrency 128]
  idle-timeout      --address A --port P --protocol tcp|udp --max-seconds N [--step-seconds 1]
  behaviour         --address A --port P --other-port Q

Each prints one JSON document; bench/tools/nat/index.ts reads it.

connection-rate: TCP connections to anything that accepts, each reset as soon as it is up, --concurrency of
them under way at any time, beside those whose SYN was dropped. One that takes longer than 3 s has failed.

concurrent-flows: opens flows to one address and port and holds them, until 64 in a row fail, --max-flows are
open, the client has no more ports or descriptors, or --duration is over; then proves each once more.

idle-timeout: one flow for every silence of --step-seconds, twice that ... --max-seconds, all at once. UDP:
one exchange, then the responder answers after the silence (asked twice, it answers twice: one packet may be
lost). TCP: the client speaks after the silence and expects the echo within 3 s.

behaviour: UDP from several sockets to both ports, and a reply from the port that was not asked.

Exit status: 0 measured, 1 the host cannot do it, 2 bad options.
"""

from __future__ import annotations

import select
import socket
import sys
import time

from common.contract import options_of
from common.documents import print_document
from common.errors import AgentError, BadInput, reason
from common.options import DURATION, ENDPOINT, PORT, TEXT, options
from daemon.control_port import read_secret
from probes.nat_flows import TRIES, TRY_SECONDS, Flow, Flows, count_flows
from probes.nat_wire import (
    FROM_OTHER,
    HELLO,
    LATER,
    MAX_DELAY_SECONDS,
    NO_COOKIE,
    REPLY,
    SIZE,
    new_nonce,
    pack,
    raise_file_limit,
    unpack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from probes.nat_wire import Message

OUTPUT_VERSION = 1
# Descriptors for anything but flows.
SPARE_FILES = 64
# Seconds between the two requests of a silent UDP flow.
REPEAT_SECONDS = 0.1
# Time that a flow has to answer after its silence.
GRACE_SECONDS = 3.0
OPEN_SECONDS = 10.0
# A NAT with random ports gives a flow the same port again once in 64,000 times.
BEHAVIOUR_SOCKETS = 4

BOUNDED = options_of("nat")
CONCURRENCY = {"concurrency": BOUNDED["concurrency"]}
PROTOCOL = {"protocol": (None, *TEXT)}
# Options by probe.
OPTIONS: dict[str, dict[str, tuple[str | None, float, float]]] = {
    "connection-rate": {**ENDPOINT, "duration": DURATION, **CONCURRENCY},
    "concurrent-flows": {
        **ENDPOINT,
        **PROTOCOL,
        "duration": DURATION,
        "max-flows": BOUNDED["max-flows"],
        **CONCURRENCY,
    },
    "idle-timeout": {
        **ENDPOINT,
        **PROTOCOL,
        "max-seconds": (None, 1, MAX_DELAY_SECONDS),
        "step-seconds": BOUNDED["step-seconds"],
    },
    "behaviour": {**ENDPOINT, "other-port": PORT},
}


def read_options(arguments: list[str]) -> dict[str, str]:
    """The options after a probe's name."""
    return options(arguments[1:], OPTIONS[arguments[0]])


def target(given: dict[str, str]) -> tuple[int, Any]:
    """Address family and socket address of the responder, which has IPv4 only."""
    try:
        socket.inet_pton(socket.AF_INET, given["address"])
        return socket.AF_INET, (given["address"], whole(given, "port"))
    except OSError as error:
        raise BadInput(
            f"--address: expected an IPv4 address, got {given['address']}: {reason(error)}"
        ) from None


def whole(given: dict[str, str], name: str) -> int:
    if not given[name].isdigit():
        raise BadInput(f"--{name}: expected a whole number, got {given[name]}")
    return int(given[name])


def protocol_of(given: dict[str, str]) -> str:
    if given["protocol"] not in ("tcp", "udp"):
        raise BadInput(f"--protocol: expected tcp or udp, got {given['protocol']}")
    return given["protocol"]


def rate(given: dict[str, str]) -> dict[str, Any]:
    from probes.nat_rate import connection_rate

    raise_file_limit(int(BOUNDED["concurrency"][2]) + SPARE_FILES)
    return connection_rate(*target(given), float(given["duration"]), whole(given, "concurrency"))


def concurrent_flows(given: dict[str, str]) -> dict[str, Any]:
    protocol, most = protocol_of(given), whole(given, "max-flows")
    raise_file_limit(most + SPARE_FILES)
    flows = Flows(*target(given), protocol, read_secret(), whole(given, "concurrency"))
    return count_flows(flows, protocol, most, float(given["duration"]))


# --- idle-timeout ------------------------------------------------------------------------------------------


def idle_timeout(given: dict[str, str]) -> dict[str, Any]:
    protocol, most, step = protocol_of(given), whole(given, "max-seconds"), whole(given, "step-seconds")
    silences = sorted({*range(step, most + 1, step), most})
    raise_file_limit(len(silences) + SPARE_FILES)
    secret = read_secret()
    flows = Flows(*target(given), protocol, secret, int(BOUNDED["concurrency"][0]))
    flows.open(len(silences), OPEN_SECONDS)
    # Where a NAT has no room for all, only the shorter silences are tried.
    silent = dict(zip(silences, flows.alive))
    survived = udp_survivors(silent, secret) if protocol == "udp" else tcp_survivors(silent)
    flows.close()
    return {
        "protocol": protocol,
        "survivedSeconds": sorted(survived),
        "diedSeconds": sorted(set(silent) - survived),
        "notOpened": len(silences) - len(silent),
        "error": flows.first_error or flows.local_error,
    }


def udp_survivors(silent: dict[int, Flow], secret: bytes) -> set[int]:
    """Silences after which the responder's answer still arrived."""
    for repeated in (False, True):
        for seconds, flow in silent.items():
            flow.nonce = flow.nonce if repeated else new_nonce()
            try:
                flow.sock.send(pack(secret, LATER, flow.nonce, flow.cookie, seconds * 1000))
            except OSError:  # a lost packet; the other is sent as well
                pass
        time.sleep(0 if repeated else REPEAT_SECONDS)
    by_fd = {flow.sock.fileno(): (seconds, flow) for seconds, flow in silent.items()}
    epoll = watched(silent)
    survived: set[int] = set()
    end = time.monotonic() + max(silent, default=0) + GRACE_SECONDS
    while len(survived) < len(silent) and time.monotonic() < end:
        for fd, _ in epoll.poll(max(0.0, end - time.monotonic()), 256):
            seconds, flow = by_fd[fd]
            message = receive(flow.sock, secret)
            if message and message.operation == LATER | REPLY and message.nonce == flow.nonce:
                survived.add(seconds)
    return survived


def tcp_survivors(silent: dict[int, Flow]) -> set[int]:
    """Silences after which the client's byte still came back."""
    by_fd = {flow.sock.fileno(): seconds for seconds, flow in silent.items()}
    epoll = watched(silent)
    asleep = sorted((flow.spoke_at + seconds, seconds) for seconds, flow in silent.items())
    asked: dict[int, float] = {}  # silence -> deadline of the echo, in that order
    survived: set[int] = set()
    while asleep or asked:
        now = time.monotonic()
        while asleep and asleep[0][0] <= now:
            seconds = asleep.pop(0)[1]
            try:
                silent[seconds].sock.send(b"?")
                asked[seconds] = now + GRACE_SECONDS
            except OSError:  # reset during its silence
                pass
        for seconds in [seconds for seconds, until in asked.items() if until <= now]:
            del asked[seconds]
        times = [when for when, _ in asleep[:1]] + [*asked.values()][:1]
        for fd, _ in epoll.poll(max(0.0, min(times) - now) if times else 0):
            seconds = by_fd[fd]
            try:
                alive = len(silent[seconds].sock.recv(64)) > 0
            except OSError:
                alive = False
            if alive and asked.pop(seconds, None) is not None:
                survived.add(seconds)
            elif not alive:
                asked.pop(seconds, None)
                epoll.unregister(fd)
    return survived


def watched(silent: dict[int, Flow]) -> select.epoll:
    epoll = select.epoll()
    for flow in silent.values():
        epoll.register(flow.sock, select.EPOLLIN)
    return epoll


def receive(sock: socket.socket, secret: bytes) -> Message | None:
    try:
        return unpack(secret, sock.recv(SIZE + 1))
    except OSError:  # nothing there, or an ICMP error
        return None


# --- behaviour ---------------------------------------------------------------------------------------------


def behaviour(given: dict[str, str]) -> dict[str, Any]:
    family, first = target(given)
    other = (first[0], whole(given, "other-port"))
    secret = read_secret()
    mappings = []
    for _ in range(BEHAVIOUR_SOCKETS):
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.bind(("", 0))
            answers = [exchange(sock, there, secret, HELLO, NO_COOKIE) for there in (first, other)]
            mappings.append({"port": sock.getsockname()[1], "seen": [outside(answer) for answer in answers]})
    return {"mappings": mappings, "otherPortHeard": hears_other_port(family, first, secret)}


def hears_other_port(family: int, first: Any, secret: bytes) -> bool | None:
    """Whether a reply comes in from a port that the socket never sent to. None: nothing comes in at all."""
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.bind(("", 0))
        greeting = exchange(sock, first, secret, HELLO, NO_COOKIE)
        if greeting is None:
            return None
        return exchange(sock, first, secret, FROM_OTHER, greeting.cookie) is not None


def exchange(sock: socket.socket, there: Any, secret: bytes, operation: int, cookie: bytes) -> Message | None:
    """The reply, from any address, to one of three requests a second apart."""
    nonce = new_nonce()
    for _ in range(TRIES):
        sock.sendto(pack(secret, operation, nonce, cookie), there)
        end = time.monotonic() + TRY_SECONDS
        while time.monotonic() < end:
            sock.settimeout(max(0.001, end - time.monotonic()))
            message = receive(sock, secret)
            if message and message.operation == operation | REPLY and message.nonce == nonce:
                return message
    return None


def outside(message: Message | None) -> dict[str, Any] | None:
    return None if message is None else {"address": message.seen[0], "port": message.seen[1]}


PROBES = {
    "connection-rate": rate,
    "concurrent-flows": concurrent_flows,
    "idle-timeout": idle_timeout,
    "behaviour": behaviour,
}


def main(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if {"--help", "-h"} & set(arguments[:2]):
        print((__doc__ or "").rstrip())
        return 0
    try:
        if name not in PROBES:
            raise BadInput(f"expected a probe ({', '.join(PROBES)}), got {name or 'nothing'}")
        print_document({"version": OUTPUT_VERSION, "probe": name, **PROBES[name](read_options(arguments))})
        return 0
    except (BadInput, AgentError, OSError) as error:
        print(f"nat_limits.py {name}: {error}".replace(" :", ":"), file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
