"""Datagrams to a pair's ports by somebody else. Arguments: what, seconds, datagrams a second.

itself: random bytes of this host's. other: the same with the other machine's address as source. record: keeps the
pair's own signs of life that pass this host. replay: sends those again, from the first to the last and over again.
"""

import os
import socket
import struct
import sys
import time

MACHINES, PORTS = ("198.19.1.11", "198.19.1.12"), (3780, 3781)
# In the lab host's own file system.
KEPT = "/tmp/signs"  # noqa: S108
what, seconds, rate = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
begun = time.monotonic()


def spoofed(machine, port, data):
    ends = socket.inet_aton(MACHINES[machine == MACHINES[0]]) + socket.inet_aton(machine)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_UDP, 0) + ends
    return head + struct.pack("!HHHH", port, port, 8 + len(data), 0) + data


def send(packets):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    plain = socket.socket(type=socket.SOCK_DGRAM)
    sent = 0
    while time.monotonic() - begun < seconds:
        for machine, port, packet in packets:
            try:
                (plain if what == "itself" else raw).sendto(
                    packet, (machine, port if what == "itself" else 0)
                )
            except OSError:
                pass  # the way is cut
            sent += 1
            time.sleep(max(0, begun + sent / rate - time.monotonic()))


def record():
    """Only signs: IPv4 without options, UDP, to their port."""
    link = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
    link.settimeout(0.2)
    packets = []
    while time.monotonic() - begun < seconds:
        try:
            packet, (_, _, way, *_) = link.recvfrom(65536)
        except TimeoutError:
            continue
        # Each passes in and out.
        if packet[9] == 17 and packet[22:24] == struct.pack("!H", PORTS[1]) and way != socket.PACKET_OUTGOING:
            packets.append(packet)
    with open(KEPT, "wb") as file:
        file.writelines(struct.pack("!H", len(one)) + one for one in packets)


def kept():
    with open(KEPT, "rb") as file:
        while size := file.read(2):
            packet = file.read(*struct.unpack("!H", size))
            yield socket.inet_ntoa(packet[16:20]), 0, packet


if what == "record":
    record()
elif what == "replay":
    send(list(kept()))
else:
    data = os.urandom(300)
    ports = [(machine, port) for machine in MACHINES for port in PORTS]
    send([(*one, data if what == "itself" else spoofed(*one, data)) for one in ports])
