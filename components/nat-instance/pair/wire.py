"""The machines' signs of life: one UDP datagram per tick, which only the peer's address and key make.

Each tells the peer which of its signs have arrived. A start of the peer is heard once it tells a sign that this machine
said after it first heard the start before: a recording of an earlier start tells older ones, whoever sends it again.
"""

import hmac
import json
import os
import socket
from typing import Any, Dict, Literal, Optional, Tuple, Union

from role import Word
from run import write

MAC_BYTES = 32
# There once the peer has told what arrived. Until then a version before this one, which tells nothing, is heard too.
TOLD_FILE = "/etc/egress-bench/proved"


class Wire:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.key = parameters.get("key", "").encode()
        self.self_address = parameters["self"]
        self.run = os.urandom(8).hex()
        self.number = 0
        # The peer's start that is heard, its last number, and this machine's own when the start was first heard.
        self.start, self.last, self.since = "", 0, 0
        # Starts of the peer, with their last numbers, that have arrived since this machine's last sign.
        self.arrived: Dict[str, int] = {}
        self.told = os.path.exists(TOLD_FILE)
        self.refused_total = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((parameters["self"], parameters["port"]))
        # The kernel hands over what comes from the peer's address and port, and nothing else.
        self.socket.connect((parameters["peer"], parameters["port"]))
        self.socket.setblocking(False)

    def mac(self, text: bytes) -> bytes:
        return hmac.digest(self.key, text, "sha256")

    def say(self, word: Word) -> None:
        self.number += 1
        # A version before this one takes any sender but itself.
        text = json.dumps([[self.self_address, self.arrived], self.run, self.number, *word]).encode()
        self.arrived = {}
        try:
            self.socket.send(self.mac(text) + text)
        except OSError:
            pass  # no link: the peer notices

    def hear(self) -> Tuple[Optional[Word], bool]:
        """The latest word of all that have arrived, and whether one of them is of another start of the peer."""
        newest, start = None, self.start
        for _ in range(1000):
            try:
                # Whoever sends recordings of many starts makes the peer's signs as long.
                datagram = self.socket.recv(65536)
            except BlockingIOError:
                break
            except OSError:
                continue  # an ICMP error: the peer's program is not there
            word = self.understand(datagram)
            self.refused_total += word is False
            newest = word or newest
        return newest, self.start != start

    def understand(self, datagram: bytes) -> Union[Word, Literal[False], None]:
        """Its word. False: it is refused. None: its sender has not heard of this machine's start yet."""
        mac, text = datagram[:MAC_BYTES], datagram[MAC_BYTES:]
        if not hmac.compare_digest(mac, self.mac(text)):
            return False
        try:
            sender, run, number, *word = json.loads(text)
            address, told = sender if isinstance(sender, list) else (sender, None)
            kinds = [type(one) for one in (told, run, number, *word)]
        except (ValueError, TypeError):
            return False
        if kinds[0] not in (dict, type(None)) or kinds[1:] != [str, int, int] + [bool] * 4:
            return False
        if address == self.self_address or word[0] not in range(2**53):
            return False
        self.arrived[run] = max(number, self.arrived.get(run, 0))
        if run != self.start:
            if self.told if told is None else told.get(self.run, 0) <= self.since:
                return None if told == {} or not self.start else False
            if told is not None and not self.told:
                self.told = True
                write(TOLD_FILE, "")
            self.start, self.last, self.since = run, 0, self.number
        before, self.last = self.last, max(number, self.last)
        return number > before and Word(*word)
