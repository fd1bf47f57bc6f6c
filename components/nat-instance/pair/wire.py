"""The machines' signs of life: one UDP datagram per tick, which only the peer's address and key make."""

import hashlib
import hmac
import json
import os
import socket
from typing import Any, Dict, Optional, Tuple

from role import Word

MAC_BYTES = 32


class Wire:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.key = parameters.get("key", "").encode()
        self.self_address = parameters["self"]
        # The last number of each start of the peer. Datagrams of an earlier start, or older ones, are not heard.
        self.run = os.urandom(8).hex()
        self.number = 0
        self.last: Dict[str, int] = {}
        self.refused_total = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((parameters["self"], parameters["port"]))
        # The kernel hands over what comes from the peer's address and port, and nothing else.
        self.socket.connect((parameters["peer"], parameters["port"]))
        self.socket.setblocking(False)

    def mac(self, text: bytes) -> bytes:
        return hmac.new(self.key, text, hashlib.sha256).digest()

    def say(self, word: Word) -> None:
        self.number += 1
        text = json.dumps([self.self_address, self.run, self.number, *word]).encode()
        try:
            self.socket.send(self.mac(text) + text)
        except OSError:
            pass  # no link: the peer notices

    def hear(self) -> Tuple[Optional[Word], bool]:
        """The latest word of all that have arrived, and whether one of them is of another start of the peer."""
        latest, starts = None, len(self.last)
        for _ in range(1000):
            try:
                datagram = self.socket.recv(512)
            except BlockingIOError:
                break
            except OSError:
                continue  # an ICMP error: the peer's program is not there
            word = self.understand(datagram)
            if word is None:
                self.refused_total += 1
            else:
                latest = word
        return latest, len(self.last) != starts

    def understand(self, datagram: bytes) -> Optional[Word]:
        mac, text = datagram[:MAC_BYTES], datagram[MAC_BYTES:]
        if not hmac.compare_digest(mac, self.mac(text)):
            return None
        try:
            sender, run, number, term, *flags = json.loads(text)
            fits = isinstance(term, int) and 0 <= term < 2**53 and len(flags) == 4
            fits = fits and isinstance(number, int) and isinstance(run, str)
        except (ValueError, TypeError):
            return None
        if not fits or sender == self.self_address or not all(isinstance(flag, bool) for flag in flags):
            return None
        if run not in self.last:
            self.last = dict.fromkeys(self.last, 2**53)
        if number <= self.last.get(run, 0):
            return None
        self.last[run] = number
        return Word(term, *flags)
