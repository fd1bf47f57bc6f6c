"""Stands on a router's path and makes faults by seed, in a network namespace of its own; what it counts is the truth.

usage: faulty-path.py FAULTS. Takes all packets that the router forwards through a TUN device, so every one is whole and alone,
prints a line once it does, and at SIGTERM or SIGINT what it counted, as JSON, by direction; `egress` is what comes by LINK,
eth0 by default. FAULTS is JSON:

- seed; port: the server's, others pass; protocol: tcp or udp; after: packets of each direction that pass first; until: the
  last that does not; least: bytes of a payload, smaller packets pass; syns: only first SYNs.
- egress, ingress: shares of `drop`, `duplicate`, `reorder` (behind the next two), `delay` (by 50 ms), `truncate` (to half of its
  payload, with right checksums), of which a packet gets one at most.
- outages: [begin, end] in seconds from the first such packet of the client, in which all are lost; `half`: of the flows, by
  their port's parity; `unheard`: only what comes to a flow that the client has not used since.
"""

import heapq
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from fcntl import ioctl

TUNSETIFF, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
TCP, UDP, SYN, ACK, RST = 6, 17, 2, 16, 4
HELD_SECONDS, DELAY_SECONDS, OVERTAKEN_BY = 0.2, 0.05, 2
KINDS = ("drop", "duplicate", "reorder", "delay", "truncate")


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def truncated(packet: bytes, payload: int) -> bytes:
    """The packet without the second half of its payload, as a middlebox would send it on."""
    head = (packet[0] & 15) * 4
    cut = bytearray(packet[: payload + (len(packet) - payload) // 2])
    struct.pack_into("!H", cut, 2, len(cut))
    struct.pack_into("!H", cut, 10, 0)
    struct.pack_into("!H", cut, 10, checksum(bytes(cut[:head])))
    segment = bytearray(cut[head:])
    place = 6 if packet[9] == UDP else 16
    if packet[9] == UDP:
        struct.pack_into("!H", segment, 4, len(segment))
    struct.pack_into("!H", segment, place, 0)
    pseudo = bytes(cut[12:20]) + struct.pack("!BBH", 0, packet[9], len(segment))
    struct.pack_into("!H", segment, place, checksum(pseudo + bytes(segment)) or 0xFFFF)
    return bytes(cut[:head] + segment)


class Way:
    """One direction: its faults, and what it counted."""

    def __init__(self, shares: dict, dice: random.Random) -> None:
        self.shares, self.dice = shares, dice
        self.held: list = []
        self.count = dict.fromkeys(("seen", "bytes", "passed", "lost", "flows", *KINDS), 0)
        self.flows: set = set()

    def fault(self) -> "str | None":
        at = self.dice.random()
        for kind in KINDS:
            at -= self.shares.get(kind, 0)
            if at < 0:
                return kind
        return None


class Path:
    def __init__(self, faults: dict, tun: int) -> None:
        self.faults, self.tun = faults, tun
        dice = random.Random(faults.get("seed", 1))
        self.ways = {name: Way(faults.get(name, {}), dice) for name in ("egress", "ingress")}
        self.client = faults.get("client", "198.18.").encode()
        self.begun: "float | None" = None
        self.later: list = []
        self.turn = 0
        self.used: set = set()
        self.dead: list = []  # times of the first and last packet that each outage took, and the ones around it

    def take(self, packet: bytes) -> None:
        head = (packet[0] & 15) * 4
        is_egress = packet[12:14] == bytes((198, 18))
        way = self.ways["egress" if is_egress else "ingress"]
        protocol = {TCP: "tcp", UDP: "udp"}.get(packet[9])
        near, far = struct.unpack_from("!HH", packet, head) if protocol else (0, 0)
        if not is_egress:
            near, far = far, near
        payload = head + (8 if packet[9] == UDP else (packet[head + 12] >> 4) * 4 if protocol else 0)
        flags = packet[head + 13] if protocol == "tcp" else 0
        faults = self.faults
        if (
            (faults.get("protocol") or protocol) != protocol
            or faults.get("port", far) != far
            or len(packet) - payload < faults.get("least", 0)
            or (faults.get("syns") and flags & (SYN | ACK) != SYN)
        ):
            self.send(packet)
            return
        way.count["seen"] += 1
        way.count["bytes"] += len(packet) - payload
        is_repeated = (near, far) in way.flows
        way.flows.add((near, far))
        way.count["flows"] = len(way.flows)
        now = time.monotonic()
        if self.begun is None and is_egress:
            self.begun = now
        if self.is_out(now, is_egress, near):
            way.count["lost"] += 1
            return
        spared = not faults.get("after", 0) < way.count["seen"] <= faults.get("until", 2**62)
        # A second SYN of one connection passes, so that each loss delays one connection by one second.
        kind = None if spared or (faults.get("syns") and is_repeated) else way.fault()
        if kind is not None:
            way.count[kind] += 1
        self.treat(way, packet, payload, kind, now)

    def treat(self, way: Way, packet: bytes, payload: int, kind: "str | None", now: float) -> None:
        if kind == "drop":
            return
        if kind == "reorder":
            way.held.append([packet, OVERTAKEN_BY, now + HELD_SECONDS])
            return
        if kind == "delay":
            self.turn += 1
            heapq.heappush(self.later, (now + DELAY_SECONDS, self.turn, packet))
        else:
            self.send(truncated(packet, payload) if kind == "truncate" else packet)
            way.count["passed"] += 1
        if kind == "duplicate":
            self.send(packet)
        for one in way.held:
            one[1] -= 1
        self.release(way, now)

    def is_out(self, now: float, is_egress: bool, near: int) -> bool:
        since = now - (self.begun or now)
        mode = self.faults.get("mode")
        for begin, end in self.faults.get("outages", []):
            if begin <= since < end:
                if mode == "unheard":
                    self.used |= {near} if is_egress else set()
                    return not is_egress and near not in self.used
                return mode != "half" or near % 2 == 0
        return False

    def release(self, way: Way, now: float) -> None:
        for one in [held for held in way.held if held[1] <= 0 or held[2] <= now]:
            way.held.remove(one)
            if one[1] > 0:  # nothing came behind it: it was only late
                way.count["reorder"] -= 1
                way.count["delay"] += 1
            self.send(one[0])

    def rest(self) -> None:
        now = time.monotonic()
        for way in self.ways.values():
            self.release(way, now)
        while self.later and self.later[0][0] <= now:
            self.send(heapq.heappop(self.later)[2])

    def send(self, packet: bytes) -> None:
        os.write(self.tun, packet)


def main() -> None:
    faults = json.loads(sys.argv[1])
    tun = os.open("/dev/net/tun", os.O_RDWR)
    ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"faults", TUN_WITHOUT_HEADER))
    for words in (
        "link set faults up txqueuelen 10000",
        "route replace default dev faults table 77",
        *(f"rule add iif {link} table 77" for link in ("eth0", "eth1")),
    ):
        subprocess.run(["ip", *words.split()], check=True)
    path = Path(faults, tun)
    ending = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.append(True))
    print("ready", flush=True)
    os.set_blocking(tun, False)
    while not ending:
        try:
            path.take(os.read(tun, 65536))
        except BlockingIOError:
            select.select([tun], [], [], 0.005)
            path.rest()
        except InterruptedError:
            pass
    print(json.dumps({name: way.count for name, way in path.ways.items()}))
    for link in ("eth0", "eth1"):
        subprocess.run(["ip", "rule", "del", "iif", link, "table", "77"], check=True)


main()
