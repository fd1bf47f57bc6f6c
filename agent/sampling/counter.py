"""Counts datagrams of the test's own ports, apart from other programs' traffic.

The kernel counts datagrams by host, not by port. A packet socket with a filter counts those of some ports:
nothing reads it, so its small buffer is full after a few datagrams, and the kernel only counts the others.
"""

from __future__ import annotations

import array
import os
import socket
import struct
import sys

from host.files import AGENT_FILE
from host.proc_files import read_text
from host.processes import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence, Tuple

    Ranges = Sequence[Tuple[int, int]]
    Instruction = Tuple[int, int, int, int]

TEST_DATAGRAMS = "testDatagrams"
OTHERS_DROPS = "othersDrops"
SECONDS = 5.0

# Constants of the kernel's packet.h, filter.h and bpf_common.h.
SOL_PACKET, PACKET_STATISTICS, ETH_P_IP, SO_ATTACH_FILTER, SO_LOCK_FILTER = 263, 6, 0x0800, 26, 44
PACKET_TYPE, INTERFACE = 0xFFFFF000 + 4, 0xFFFFF000 + 8
WORD, HALF, BYTE, HALF_AT_X, HEADER_TO_X = 0x20, 0x28, 0x30, 0x48, 0xB1
EQUAL, AT_LEAST, GREATER, ANY_BIT, JUMP, RETURN = 0x15, 0x35, 0x25, 0x45, 0x05, 0x06
LOOPBACK, UDP, FRAGMENT_OFFSET = 1, 17, 0x1FFF


def filter_of(ranges: Ranges) -> bytes:
    """A filter for IPv4 datagrams from or to the ports, counted by first fragment, from other hosts."""
    checks: list[Instruction] = []
    for offset in (0, 2):
        checks.append((HALF_AT_X, 0, 0, offset))
        for first, last in ranges:
            checks += [(AT_LEAST, 0, 2, first), (GREATER, 1, 0, last), (RETURN, 0, 0, 1)]
    # A taken jump leads to the end, which refuses the packet; otherwise the next check follows.
    head: list[Instruction] = [
        (WORD, 0, 0, PACKET_TYPE),
        (EQUAL, 0, 8, 0),
        (WORD, 0, 0, INTERFACE),
        (EQUAL, 6, 0, LOOPBACK),
        (BYTE, 0, 0, 9),
        (EQUAL, 0, 4, UDP),
        (HALF, 0, 0, 6),
        (ANY_BIT, 2, 0, FRAGMENT_OFFSET),
        (HEADER_TO_X, 0, 0, 0),
        (JUMP, 0, 0, 1),
        (RETURN, 0, 0, 0),
    ]
    return b"".join(struct.pack("HBBI", *one) for one in (*head, *checks, (RETURN, 0, 0, 0)))


def packet_socket(ranges: Ranges) -> socket.socket:
    """A counting socket. Raises OSError where this account may not open one."""
    import ctypes

    text = ctypes.create_string_buffer(filter_of(ranges))
    program = struct.pack("HP", (len(text) - 1) // 8, ctypes.addressof(text))
    counting = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
    try:
        counting.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
        counting.setsockopt(socket.SOL_SOCKET, SO_LOCK_FILTER, 1)
        counting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 0)  # becomes the kernel's minimum
        counting.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)  # resets the count from before the filter
    except OSError:
        counting.close()
        raise
    return counting


def counter(arguments: list[str]) -> None:
    """usage: agent.py counter FIRST-LAST ...

    Opens a packet socket that counts datagrams of these ports, and hands it over on standard input, which is a socket.
    Root runs it for the daemon of an account that must not open one itself.
    """
    ranges = [(int(first), int(last)) for first, _, last in (one.partition("-") for one in arguments)]
    with packet_socket(ranges) as counting, socket.socket(fileno=os.dup(0)) as channel:
        handed = array.array("i", [counting.fileno()])
        channel.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handed)])


def handed_over(ranges: Ranges, as_root: Sequence[str], seconds: float = SECONDS) -> socket.socket | None:
    """The socket that `counter` opens; None where it cannot."""
    import subprocess

    ours, theirs = socket.socketpair()
    program = [sys.executable, "-B", AGENT_FILE, "counter"]
    with ours, theirs:
        try:
            subprocess.run(
                [*as_root, *program, *(f"{first}-{last}" for first, last in ranges)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment("serve"),
                timeout=seconds,
                check=True,
            )
            room = array.array("i")
            ours.settimeout(seconds)
            _, messages, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(room.itemsize))
        except (OSError, subprocess.SubprocessError):
            return None
    for level, kind, handed in messages:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            room.frombytes(handed[: room.itemsize])
    return socket.socket(fileno=room[0]) if room else None


class TestPorts:
    """Counters of the test's UDP ports, and the drops of other programs' sockets."""

    def __init__(self, ranges: Ranges) -> None:
        import threading

        self._ranges = ranges
        self._total = 0
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        if not ranges:
            return
        try:
            self._socket = packet_socket(ranges)
        except OSError:
            self._socket = handed_over(ranges, ["sudo", "-kn"]) if os.geteuid() != 0 else None

    def counters(self) -> dict[str, int]:
        """Datagrams that reached the ports since the agent began, absent where this account may not count
        them, and drops of sockets on other ports.
        """
        return {**self.datagrams(TEST_DATAGRAMS), OTHERS_DROPS: self._others_drops()}

    def datagrams(self, name: str) -> dict[str, int]:
        if self._socket is None:
            return {}
        with self._lock:  # reading resets the kernel's count
            found = self._socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
            self._total += struct.unpack("II", found)[0]
            return {name: self._total}

    def _others_drops(self) -> int:
        """Drops of other sockets.

        Dual-stack sockets may drop IPv4's datagrams; IPv6's, which have their own counter, are subtracted.
        """
        own = sum(drops_of(read_text(f"/proc/net/{table}") or "", self._ranges) for table in ("udp", "udp6"))
        ipv6 = (line.split() for line in (read_text("/proc/net/snmp6") or "").splitlines())
        return own - sum(int(value) for name, value in ipv6 if name == "Udp6InErrors")


def drops_of(table: str, ranges: Ranges) -> int:
    """Datagrams dropped by sockets without these ports at either end, from /proc/net/udp."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return sum(
        int(row[-1])
        for row in rows
        if not any(
            first <= int(address.rpartition(":")[2], 16) <= last
            for address in row[1:3]
            for first, last in ranges
        )
    )
