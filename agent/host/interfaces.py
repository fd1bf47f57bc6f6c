"""The host's network interfaces, as the kernel describes them."""

from __future__ import annotations

import fcntl
import socket

from host.netlink import all_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def interfaces() -> list[dict[str, Any]]:
    """All interfaces but loopback.

    MTU and qdisc as in `ip`, driver and offloads as in `ethtool -i` and `-k`.
    """
    from host.offloads import offloads

    known = all_links() or [{"ifname": name} for _, name in socket.if_nameindex()]
    return [
        {
            "name": link["ifname"],
            "mtu": link.get("mtu"),
            "driver": driver(link["ifname"]),
            "qdisc": link.get("qdisc"),
            "offloads": offloads(link["ifname"]),
        }
        for link in known
        if link.get("ifname") not in (None, "lo")
    ][:64]


def driver(interface: str) -> str | None:
    """Asks the kernel (ETHTOOL_GDRVINFO): sysfs may show another network namespace's interfaces."""
    import array
    import struct

    siocethtool, getdrvinfo, driver_field = 0x8946, 0x3, slice(4, 36)
    info = array.array("B", struct.pack("=I192x", getdrvinfo))
    request = struct.pack("16sP16x", interface.encode(), info.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            fcntl.ioctl(sock, siocethtool, request)
        except OSError:  # a tunnel, for example, has no driver
            return None
    return info.tobytes()[driver_field].split(b"\0")[0].decode("ascii", "replace") or None
