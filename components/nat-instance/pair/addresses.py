"""The lab: moves addresses between links, and announces them to the neighbours."""

import socket
import struct
import threading
import time
from typing import Any, Callable, Dict, Optional

import nothing
from run import log, run


class Outside(nothing.Outside):
    def __init__(self, outside: Dict[str, Any]) -> None:
        self.addresses = [(one["address"], one["link"]) for one in outside["addresses"]]

    def take(self, _wanted: Callable[[], bool]) -> None:
        for address, link in self.addresses:
            run(["ip", "address", "replace", f"{address}/32", "dev", link], 2)
        threading.Thread(target=self.announce, daemon=True).start()

    def announce(self) -> None:
        """Announces three times, because announcements are not acknowledged."""
        for _ in range(3):
            for address, link in self.addresses:
                try:
                    announce(address, link)
                except OSError as error:
                    log(f"{address} not announced on {link}: {error}")
            time.sleep(0.1)

    def release(self) -> None:
        for address, link in self.addresses:
            run(["ip", "address", "delete", f"{address}/32", "dev", link], 2)

    def carries(self) -> Optional[bool]:
        return all(
            f" inet {address}/" in run(["ip", "-o", "-4", "address", "show", "dev", link, "up"], 2)[1]
            for address, link in self.addresses
        )


def announce(address: str, link: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as packets:
        packets.bind((link, 0))
        own, ip = packets.getsockname()[4], socket.inet_aton(address)
        head = b"\xff" * 6 + own + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1)
        packets.send(head + own + ip + bytes(6) + ip)
