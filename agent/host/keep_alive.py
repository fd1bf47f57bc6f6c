"""Keep-alives on the connections of a tool that has no option for them.

iperf3's control connection is silent while a test runs, and before 3.19 (--cntl-ka) nothing keeps it
alive: a NAT forgets it after its idle time-out, and the test ends without a result. The kernel lets a
process copy another's descriptor (pidfd_getfd, Linux 5.6), and a keep-alive set on the copy applies to the
connection.
"""

from __future__ import annotations

import os
import socket

from host.processes import process_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# linux/arch: the same numbers on all architectures.
PIDFD_OPEN, PIDFD_GETFD = 434, 438
# Unanswered probes after which the connection counts as dead.
PROBES = 9


def keep_alive(group: int, idle_seconds: int) -> int:
    """Turns on keep-alive on each TCP connection of a process group, after so many silent seconds; returns
    their number.

    Connections that carry data send none. 0 where the kernel does not allow it.
    """
    return sum(
        1
        for pid in process_ids()
        if group_of(pid) == group
        for fd in socket_descriptors(pid)
        if set_keep_alive(pid, fd, idle_seconds)
    )


def group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def socket_descriptors(pid: int) -> Iterator[int]:
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            if os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:"):
                yield int(name)
    except OSError:  # it has ended
        return


def set_keep_alive(pid: int, fd: int, idle_seconds: int) -> bool:
    copy = copy_of(pid, fd)
    if copy is None:
        return False
    # socket.socket() closes only the copy at its end: the connection is the other process's too.
    with socket.socket(fileno=copy) as sock:
        try:
            sock.getpeername()
            if sock.type != socket.SOCK_STREAM:
                return False
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, idle_seconds)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, idle_seconds)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return True
        except OSError:  # not connected, or no TCP
            return False


def copy_of(pid: int, fd: int) -> int | None:
    """A descriptor of this process for the other's; None where the kernel refuses."""
    import ctypes

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    process = syscall(PIDFD_OPEN, pid, 0)
    if process < 0:
        return None
    try:
        copy = syscall(PIDFD_GETFD, process, fd, 0)
        return copy if copy >= 0 else None
    finally:
        os.close(process)
