"""Offloads of a network interface, read from the kernel without starting a process."""

from __future__ import annotations

import fcntl
import socket
import struct

# linux/sockios.h, linux/ethtool.h
SIOCETHTOOL = 0x8946
GET_STRING_SET_SIZES, GET_STRINGS, GET_FEATURES = 0x37, 0x1B, 0x3A
FEATURES = 4
NAME_BYTES = 32
MAX_FEATURES = 256

# Offloads that affect throughput or merge packets, by their names in `ethtool -k`: the kernel's names, any of
# which suffices.
WANTED = {
    "rx-checksumming": ("rx-checksum",),
    "tx-checksumming": (
        "tx-checksum-ipv4",
        "tx-checksum-ip-generic",
        "tx-checksum-ipv6",
        "tx-checksum-fcoe-crc",
        "tx-checksum-sctp",
    ),
    "scatter-gather": ("tx-scatter-gather", "tx-scatter-gather-fraglist"),
    "tcp-segmentation-offload": (
        "tx-tcp-segmentation",
        "tx-tcp-ecn-segmentation",
        "tx-tcp-mangleid-segmentation",
        "tx-tcp6-segmentation",
    ),
    "generic-segmentation-offload": ("tx-generic-segmentation",),
    "generic-receive-offload": ("rx-gro",),
    "large-receive-offload": ("rx-lro",),
    "tx-udp-segmentation": ("tx-udp-segmentation",),
    "rx-gro-hw": ("rx-gro-hw",),
    "rx-gro-list": ("rx-gro-list",),
    "rx-udp-gro-forwarding": ("rx-udp-gro-forwarding",),
    "hw-tc-offload": ("hw-tc-offload",),
}


def offloads(interface: str) -> dict[str, bool]:
    """Whether each offload is on. Unknown ones are left out; empty where the kernel tells none."""
    try:
        active = active_features(interface)
    except OSError:
        return {}
    return {
        name: any(active.get(feature, False) for feature in features)
        for name, features in WANTED.items()
        if any(feature in active for feature in features)
    }


def active_features(interface: str) -> dict[str, bool]:
    """Every active feature by the kernel's name.

    Raises OSError where the interface or its kernel tells none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sizes = ask(sock, interface, struct.pack("=IIQI", GET_STRING_SET_SIZES, 0, 1 << FEATURES, 0))
        count = min(struct.unpack_from("=I", sizes, 16)[0], MAX_FEATURES)
        names = ask(sock, interface, struct.pack("=III", GET_STRINGS, FEATURES, count), count * NAME_BYTES)
        blocks = (count + 31) // 32
        values = ask(sock, interface, struct.pack("=II", GET_FEATURES, blocks), blocks * 16)
    # A block is four words: available, requested, active, never changed.
    words = [struct.unpack_from("=I", values, 8 + block * 16 + 8)[0] for block in range(blocks)]
    return {
        names[start : start + NAME_BYTES].split(b"\0")[0].decode("ascii", "replace"): bool(
            words[index // 32] >> index % 32 & 1
        )
        for index, start in ((index, 12 + index * NAME_BYTES) for index in range(count))
    }


def ask(sock: socket.socket, interface: str, command: bytes, room: int = 0) -> bytes:
    """The kernel's answer, written over the command and the space after it."""
    import array

    buffer = array.array("B", command + bytes(room))
    request = struct.pack("16sP16x", interface.encode(), buffer.buffer_info()[0])
    fcntl.ioctl(sock, SIOCETHTOOL, request)
    return buffer.tobytes()
