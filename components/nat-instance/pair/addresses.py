"""The lab: moves addresses between links, announces them to the neighbours, and asks these where they lead."""

import select
import socket
import struct
import threading
import time
from typing import Any, Callable, Dict, Optional

import nothing
from run import log, run
from wire import admit

ANSWER_SECONDS = 0.6
ROUND_SECONDS = 0.1
IDENTITY = b"\xeb\x0c\0\1"
# An echo request with its checksum (RFC 792).
ECHO = b"\x08\0\x0c\xf2" + IDENTITY
# Classic BPF for sock_filter: protocol 1 with this identity, the first 96 bytes.
FILTER = [(48, 0, 0, 9), (21, 0, 3, 1), (32, 0, 0, 24), (21, 0, 1, 0xEB0C0001), (6, 0, 0, 96), (6, 0, 0, 0)]
ETH_P_IP, PACKET_OUTGOING = 0x0800, 4


class Outside(nothing.Outside):
    def __init__(self, outside: Dict[str, Any]) -> None:
        self.addresses = [(one["address"], one["link"]) for one in outside["addresses"]]

    def take(self, _wanted: Callable[[], bool]) -> None:
        for address, link in self.addresses:
            run(["ip", "address", "replace", f"{address}/32", "dev", link], 2)
        # Before the neighbours are asked.
        self.announce()
        threading.Thread(target=self.announce_again, daemon=True).start()

    def announce_again(self) -> None:
        """Announcements are not acknowledged."""
        for _ in range(2):
            time.sleep(0.1)
            self.announce()

    def announce(self) -> None:
        for address, link in self.addresses:
            try:
                announce(address, link)
            except OSError as error:
                log(f"{address} not announced on {link}: {error}")

    def release(self) -> None:
        for address, link in self.addresses:
            run(["ip", "address", "delete", f"{address}/32", "dev", link], 2)

    def carries(self) -> Optional[bool]:
        try:
            found = [led_here(address, link) for address, link in self.addresses]
        except OSError:
            return None  # a link is gone
        return False if False in found else None if None in found else True


def led_here(address: str, link: str) -> Optional[bool]:
    """Whether an answer to the address comes here. False: only one to this machine's own does; None: none at all."""
    lines = run(["ip", "-4", "neighbour", "show", "dev", link], 2)[1].splitlines()
    neighbours = [line.split()[0] for line in lines if " lladdr " in line]
    answer, ends = None, time.monotonic() + ANSWER_SECONDS
    with icmp(link) as own, icmp(link) as moved, answers_on(link) as answers:
        try:
            moved.bind((address, 0))
        except OSError:
            return False  # it is not this machine's
        while neighbours and time.monotonic() < ends:
            for asking in (moved, own):
                for one in neighbours:
                    try:
                        asking.sendto(ECHO, (one, 0))
                    except OSError:
                        pass  # no link
            until = time.monotonic() + ROUND_SECONDS
            while select.select([answers], [], [], max(0.0, until - time.monotonic()))[0]:
                packet, (_, _, way, *_) = answers.recvfrom(96)
                if packet[20] == 0 and way != PACKET_OUTGOING:
                    answer = packet[16:20] == socket.inet_aton(address)
                    if answer:
                        return True
    return answer


def icmp(link: str) -> socket.socket:
    one = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, link.encode())
    return one


def answers_on(link: str) -> socket.socket:
    """Receives before this machine's own rules, which let nothing untranslated in to a moving address."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    admit(one, FILTER)
    one.bind((link, ETH_P_IP))
    return one


def announce(address: str, link: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as packets:
        packets.bind((link, 0))
        own, ip = packets.getsockname()[4], socket.inet_aton(address)
        head = b"\xff" * 6 + own + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1)
        packets.send(head + own + ip + bytes(6) + ip)
