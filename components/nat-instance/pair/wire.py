"""The machines' signs of life: UDP datagrams at each tick, which only the peer's address and key make.

The kernel drops whatever lacks the key's mark before it takes up room in the socket's buffer, where a flood with
the peer's address would leave none for the peer's signs.

Each sign acknowledges the peer's signs that have arrived. After a restart of the peer its signs count once they
acknowledge a sign that this machine sent after it first heard the start before. A recording of an earlier start
acknowledges older ones only, so sending it again has no effect.
"""

import ctypes
import hmac
import json
import os
import socket
import struct
from typing import Any, Dict, List, Literal, Optional, Tuple, Union

from role import Word

MARK_BYTES, MAC_BYTES = 8, 32
SO_ATTACH_FILTER, SO_MEMINFO = 26, 55
# Signs per tick. With one, a link that loses 60 % of them would make a live peer look dead nearly once a second.
SIGNS = 6


class Wire:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.key = parameters.get("key", "").encode()
        self.self_address = parameters["self"]
        self.peer_copies = False
        self.run = os.urandom(8).hex()
        self.number = 0
        # The peer's start that is heard, its last number, and this machine's own number when it first heard that start.
        self.start, self.last, self.since = "", 0, 0
        # Starts of the peer, with their last numbers, that have arrived since this machine's last sign.
        self.arrived: Dict[str, int] = {}
        self.refused = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((parameters["self"], parameters["port"]))
        # The kernel hands over what comes from the peer's address and port, and nothing else.
        self.socket.connect((parameters["peer"], parameters["port"]))
        self.socket.setblocking(False)
        self.mark = self.mac(b"")[:MARK_BYTES]
        first, second = struct.unpack("!II", self.mark)
        # Behind the UDP header of 8 bytes.
        lines = [(32, 0, 0, 8), (21, 0, 3, first), (32, 0, 0, 12), (21, 0, 1, second)]
        admit(self.socket, [*lines, (6, 0, 0, 65535), (6, 0, 0, 0)])

    @property
    def refused_total(self) -> int:
        """Datagrams with the peer's address that did not count: refused here, or by the kernel (no mark, no room)."""
        return (
            self.refused + struct.unpack("9I", self.socket.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))[8]
        )

    def mac(self, text: bytes) -> bytes:
        return hmac.digest(self.key, text, "sha256")

    def say(self, word: Word, copies: bool) -> None:
        for _ in range(SIGNS):
            self.number += 1
            text = json.dumps(
                [self.self_address, self.arrived, copies, self.run, self.number, *word]
            ).encode()
            try:
                self.socket.send(self.mark + self.mac(text) + text)
            except OSError:
                pass  # no link: the peer notices
        self.arrived = {}

    def hear(self) -> Tuple[Optional[Word], bool]:
        """The latest word that has arrived, and whether the peer has restarted."""
        newest, start = None, self.start
        for _ in range(1000):
            try:
                # Recordings of many starts make the peer's signs long: it acknowledges each start.
                datagram = self.socket.recv(65536)
            except BlockingIOError:
                break
            except OSError:
                continue  # an ICMP error: the peer's program is not there
            word = self.understand(datagram)
            self.refused += word is False
            newest = word or newest
        return newest, self.start != start

    def understand(self, datagram: bytes) -> Union[Word, Literal[False], None]:
        """The datagram's word. False: it is refused. None: its sender does not know this machine's start yet."""
        mac, text = datagram[MARK_BYTES:][:MAC_BYTES], datagram[MARK_BYTES + MAC_BYTES :]
        if not hmac.compare_digest(mac, self.mac(text)):
            return False
        try:
            address, acknowledged, copies, run, number, *word = json.loads(text)
            kinds = [type(one) for one in (address, acknowledged, copies, run, number, *word)]
        except (ValueError, TypeError):
            return False
        if kinds != [str, dict, bool, str, int, int] + [bool] * 4:
            return False
        if address == self.self_address or word[0] not in range(2**53):
            return False
        self.arrived[run] = max(number, self.arrived.get(run, 0))
        if run != self.start:
            if acknowledged.get(self.run, 0) <= self.since:
                return None if acknowledged == {} or not self.start else False
            self.start, self.last, self.since = run, 0, self.number
        before, self.last = self.last, max(number, self.last)
        if number > before:
            self.peer_copies = copies
        return number > before and Word(*word)


def admit(own: socket.socket, lines: List[Tuple[int, int, int, int]]) -> None:
    """Lets the kernel drop what these lines of classic BPF (sock_filter) do not accept."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    own.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", len(lines), ctypes.addressof(code)))
