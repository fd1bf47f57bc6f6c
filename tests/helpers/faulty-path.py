"""A router's path that makes faults by seed, in a network namespace of its own; what it counts is the truth.

usage: faulty-path.py FAULTS. Takes all packets that the router forwards from eth0 and eth1 through a TUN device, where each is
whole and alone. Prints a line once it does, and at SIGTERM what it counted, as JSON, by direction; `egress` comes from
198.18.0.0/16. `fresh` are TCP's bytes without those sent again, and `again` the packets with such; when iperf3's client said that
its test is over, `endAgain` had been sent again, and of `fresh` the receiver had acknowledged `endAcked`; when its server said that
it had heard so, `doneFresh` and `doneAgain` had been sent; `unanswered` are the echo requests, and by the server's port the
connections whose first packets were lost on either way. FAULTS is JSON; without a key nothing happens:

- seed; port (the server's) and protocol: other packets pass; least: smaller payloads pass; control: the first connection
  passes; syns: only first SYNs and their answers, of which a repeated one passes; after, until: packets of each direction that pass first, and the
  last one that may not; omitted: its first packets, whose faults are not counted, and of which the last fifth passes, as do as many more.
- egress, ingress: shares of `drop`, `duplicate`, `reorder` (behind the next two), `truncate` (to half of its payload), `cut` (the same,
  as a whole UDP datagram), of which a packet gets one at most; `delay`: milliseconds for all; `queue`: packets a second that a queue of 0.1 s passes, while the
  others pass it by.
- signalled: all of these begin with SIGUSR1.
- outages: [begin, end] in seconds from the client's first such packet, or from the signal, in which all are lost; mode `half`: of
  the flows, by their port; `unheard`: what comes to a flow that the client has not used since.
"""

import collections
import json
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time
from fcntl import ioctl

TUNSETIFF, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
ICMP, TCP, UDP, SYN, ACK = 1, 6, 17, 2, 16
TEST_END, EXCHANGE_RESULTS = b"\x04", b"\x0d"
HELD_SECONDS, OVERTAKEN_BY = 0.2, 2
QUEUE_SECONDS = 0.1
KINDS = ("drop", "duplicate", "reorder", "truncate", "cut")
AT_END = ("endAcked", "endAgain", "doneFresh", "doneAgain")
COUNTS = ("seen", "fresh", "outBytes", *AT_END, "lost", "flows", "again", *KINDS)


def checksum(head: bytes) -> int:
    total = sum(struct.unpack(f"!{len(head) // 2}H", head))
    return ~(total % 0xFFFF or 0xFFFF) & 0xFFFF


def truncated(packet: bytes, payload: int, is_whole: bool) -> bytes:
    """The packet without the second half of its payload: routers pass it on, and the receiver's kernel drops it, unless it is a
    whole UDP datagram.
    """
    head = (packet[0] & 15) * 4
    cut = bytearray(packet[: payload + (len(packet) - payload) // 2])
    struct.pack_into("!H", cut, 2, len(cut))
    if is_whole:
        struct.pack_into("!HH", cut, head + 4, len(cut) - head, 0)
    struct.pack_into("!H", cut, 10, 0)
    struct.pack_into("!H", cut, 10, checksum(bytes(cut[:head])))
    return bytes(cut)


class Way:
    """One direction: its faults, what it holds back, and what it counted."""

    def __init__(self, faults: dict, seed: str) -> None:
        self.faults, self.dice = faults, random.Random(seed)
        self.held: list = []
        self.later: collections.deque = collections.deque()
        self.free_at = 0.0
        self.flows: dict = {}
        self.begun_at: dict = {}
        self.acked: dict = {}
        self.count = dict.fromkeys(COUNTS, 0)

    def hear(self, packet: bytes, head: int, flow: tuple) -> None:
        """Takes what the receiver acknowledges."""
        if flow in self.begun_at and packet[head + 13] & ACK:
            acked = (struct.unpack_from("!I", packet, head + 8)[0] - self.begun_at[flow]) % 2**32
            self.acked[flow] = max(self.acked.get(flow, 0), acked if acked < 2**31 else 0)

    def kind(self) -> "str | None":
        at = self.dice.random()
        for kind in KINDS:
            at -= self.faults.get(kind, 0)
            if at < 0:
                return kind
        return None


class Path:
    def __init__(self, faults: dict, tun: int) -> None:
        self.faults, self.tun = faults, tun
        seed = faults.get("seed", 1)
        self.ways = {name: Way(faults.get(name, {}), f"{name} {seed}") for name in ("egress", "ingress")}
        self.begun: "float | None" = None
        self.used: set = set()
        self.control: "int | None" = None
        self.pings, self.refused = 0, collections.defaultdict(set)

    def take(self, packet: bytes) -> None:
        if packet[0] >> 4 != 4:
            return
        now, faults = time.monotonic(), self.faults
        head = (packet[0] & 15) * 4
        is_egress = packet[12:14] == bytes((198, 18))
        way = self.ways["egress" if is_egress else "ingress"]
        protocol = {TCP: "tcp", UDP: "udp"}.get(packet[9])
        near, far = struct.unpack_from("!HH", packet, head)[:: 1 if is_egress else -1] if protocol else (0, 0)
        if self.control is None and far == faults.get("port"):
            self.control = near
        payload = head + ((packet[head + 12] >> 4) * 4 if protocol == "tcp" else 8)
        size = len(packet) - payload
        if protocol == "tcp" and near == self.control:
            for each in self.ways.values():
                if is_egress and packet[payload:] == TEST_END:
                    each.count.update(endAcked=sum(each.acked.values()), endAgain=each.count["again"])
                if not is_egress and packet[payload:] == EXCHANGE_RESULTS:
                    each.count.update(doneFresh=each.count["fresh"], doneAgain=each.count["again"])
        if protocol == "tcp":
            self.ways["ingress" if is_egress else "egress"].hear(packet, head, (near, far))
        if (
            faults.get("protocol", protocol) != protocol
            or faults.get("port", far) != far
            or size < faults.get("least", 0)
            or (faults.get("control") and near == self.control)
            or (faults.get("syns") and not packet[head + 13] & SYN)
        ):
            self.send(way, packet, now)
            return
        if self.begun is None and is_egress and not faults.get("signalled"):
            self.begun = now
        flow: tuple = (near, far)
        if faults.get("syns"):  # a port is used again, a number is not
            flow += (packet[head + 4 : head + 8],)
        is_known = flow in way.flows
        self.tell(way, packet, head, flow, size)
        if self.is_out(now, is_egress, near):
            way.count["lost"] += 1
            self.lose(packet, head, near, far)
            return
        is_early = self.begun is None and "signalled" in faults
        omitted, number = faults.get("omitted", 0), way.count["seen"]
        spared = is_early or not faults.get("after", 0) < number <= faults.get("until", 2**62)
        spared = spared or abs(number - omitted) < omitted // 5
        kind = None if spared or (faults.get("syns") and is_known) else way.kind()
        if kind is not None and number > omitted:
            way.count[kind] += 1
        if kind == "reorder":
            way.held.append([packet, size, OVERTAKEN_BY, now + HELD_SECONDS, flow])
        elif kind == "drop":
            self.lose(packet, head, near, far)
        else:
            if kind == "truncate":
                self.send(way, truncated(packet, payload, False), now)
            elif kind == "cut":
                packet, size = truncated(packet, payload, True), size // 2
            for _ in range({"truncate": 0, "duplicate": 2}.get(kind or "", 1)):
                self.pass_on(way, packet, now, size)
            for one in way.held:
                one[2] -= one[4] == flow and kind != "truncate"
            self.release(way, now)

    def lose(self, packet: bytes, head: int, near: int, far: int) -> None:
        self.pings += packet[9] == ICMP
        if packet[9] == TCP and packet[head + 13] & SYN:
            begin, answered = struct.unpack_from("!II", packet, head + 4)
            number = answered - 1 if packet[head + 13] & ACK else begin
            self.refused[far].add((near, number % 2**32))

    def tell(self, way: Way, packet: bytes, head: int, flow: tuple, size: int) -> None:
        way.count["seen"] += 1
        last = way.flows.get(flow)
        if packet[9] == TCP and size > 0:
            (begin,) = struct.unpack_from("!I", packet, head + 4)
            way.begun_at.setdefault(flow, begin)
            beyond = size if last is None else (begin + size - last + 2**31) % 2**32 - 2**31
            way.count["again"] += beyond < size
            if beyond > 0:
                way.count["fresh"] += beyond
                last = (begin + size) % 2**32
        way.flows[flow] = last
        way.count["flows"] = len(way.flows)

    def is_out(self, now: float, is_egress: bool, near: int) -> bool:
        if self.begun is None:
            return False
        mode, since = self.faults.get("mode"), now - self.begun
        if not any(begin <= since < end for begin, end in self.faults.get("outages", [])):
            return False
        if mode == "unheard":
            self.used |= {near} if is_egress else set()
            return not is_egress and near not in self.used
        return mode != "half" or (near % 4 < 2 and near > 0)  # new connections have even ports

    def release(self, way: Way, now: float) -> None:
        for one in [held for held in way.held if held[2] <= 0 or held[3] <= now]:
            way.held.remove(one)
            if one[2] == OVERTAKEN_BY:  # nothing came behind it
                way.count["reorder"] -= 1
            self.pass_on(way, one[0], now, one[1])

    def pass_on(self, way: Way, packet: bytes, now: float, size: int) -> None:
        if "queue" in way.faults:
            passed = max(now, way.free_at) + 1 / way.faults["queue"]
            if passed > now + QUEUE_SECONDS:
                way.count["drop"] += 1
                return
            way.free_at = passed
            way.later.append((passed, packet))
        way.count["outBytes"] += size
        if "queue" not in way.faults:
            self.send(way, packet, now)

    def send(self, way: Way, packet: bytes, now: float) -> None:
        delay = way.faults.get("delay", 0) / 1000
        if delay > 0:
            way.later.append((now + delay, packet))
        else:
            os.write(self.tun, packet)

    def rest(self) -> None:
        now = time.monotonic()
        for way in self.ways.values():
            self.release(way, now)
            while way.later and way.later[0][0] <= now:
                os.write(self.tun, way.later.popleft()[1])


def main() -> None:
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"faults", TUN_WITHOUT_HEADER))
    for words in (
        "link set faults up txqueuelen 10000",
        "route replace default dev faults table 77",
        *(f"rule add iif {link} table 77" for link in ("eth0", "eth1")),
    ):
        subprocess.run(["ip", *words.split()], check=True)
    path, ending = Path(json.loads(sys.argv[1]), tun), []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(True))
    signal.signal(signal.SIGUSR1, lambda *_: setattr(path, "begun", time.monotonic()))
    print("ready", flush=True)
    while not ending:
        try:
            path.take(os.read(tun, 65536))
        except BlockingIOError:
            select.select([tun], [], [], 0.001 if any(way.later for way in path.ways.values()) else 0.02)
        path.rest()
    for link in ("eth0", "eth1"):
        subprocess.run(["ip", "rule", "del", "iif", link, "table", "77"], check=True)
    unanswered = {"icmp": path.pings, **{far: len(one) for far, one in path.refused.items()}}
    print(json.dumps({**{name: way.count for name, way in path.ways.items()}, "unanswered": unanswered}))


main()
