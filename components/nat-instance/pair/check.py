"""Whether this machine forwards: a network behind it connects to addresses outside, and back."""

import ctypes
import errno
import ipaddress
import os
import select
import socket
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from run import log, run

NETWORK = "/run/netns/ebcheck"
CLONE_NEWNET = 0x40000000
LOOK_UP_SECONDS = 30
# Longer than any round trip, but shorter than the second after which a lost SYN is sent again.
ANSWER_SECONDS = 0.6
ANSWERS = (0, errno.ECONNREFUSED)
Target = Tuple[str, int]


class Check:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.targets: List[Target] = [(one["address"], one["port"]) for one in parameters["checks"]]
        # By name; empty for one that proves nothing.
        self.addresses: Dict[str, str] = {}
        self.last: Optional[Target] = None
        # Opened in the machine's own network: the open files keep referring to its table.
        path = "/proc/sys/net/netfilter/nf_conntrack_"
        self.counters = [os.open(path + name, os.O_RDONLY) for name in ("count", "max")]

    def look_up(self) -> None:
        """Looks up the names; keeps their last addresses while no name server answers."""
        for name, _ in self.targets:
            text = run(["getent", "ahostsv4", name], 1)[1].split()
            if not text or not text[0][0].isdigit():
                continue
            # An interface endpoint, or a resolver of one's own: an answer from inside proves no way out.
            inside = text[0] != name and ipaddress.ip_address(text[0]).is_private
            if inside and self.addresses.get(name) != "":
                log(f"{name} is {text[0]}, which is private: its answers prove no way out")
            self.addresses[name] = "" if inside else text[0]

    def once(self) -> bool:
        """Connects from a thread in the check's network: to the target that answered last, then to the others."""
        known = [(self.addresses[name], port) for name, port in self.targets if self.addresses.get(name)]
        first = [one for one in known if one == self.last]
        others = [one for one in known if one != self.last]
        self.last = answering(first) or answering(others)
        return self.last is not None

    def full(self) -> bool:
        """Whether the table has no room for the check's connection. The other machine would get the same table."""
        entries, room = (int(os.pread(one, 20, 0)) for one in self.counters)
        return entries > 0.99 * room

    def for_ever(self, say: Callable[[bool], None]) -> None:
        """Two failures in a row count as a failure, and two successes in a row end it."""
        threading.Thread(target=self.look_up_for_ever, daemon=True).start()
        entered, before = False, True
        while True:
            begun = time.monotonic()
            entered = entered or enter()
            good = entered and (self.once() or self.full())
            if good == before:
                say(good)
            before = good
            time.sleep(max(0.1, begun + 1 - time.monotonic()))

    def look_up_for_ever(self) -> None:
        while True:
            self.look_up()
            time.sleep(LOOK_UP_SECONDS if len(self.addresses) == len(self.targets) else 1)


def answering(targets: List[Target]) -> Optional[Target]:
    """The first that answers. A refused connection counts as an answer."""
    waiting: Dict[socket.socket, Target] = {}
    ends = time.monotonic() + ANSWER_SECONDS
    try:
        for target in targets:
            one = socket.socket()
            waiting[one] = target
            one.setblocking(False)
            error = one.connect_ex(target)
            if error in ANSWERS:
                return target
            if error != errno.EINPROGRESS:
                del waiting[one]
                one.close()
        while waiting and time.monotonic() < ends:
            _, ended, _ = select.select([], list(waiting), [], max(0.0, ends - time.monotonic()))
            for one in ended:
                if one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) in ANSWERS:
                    return waiting[one]
                del waiting[one]
                one.close()
        return None
    finally:
        for one in waiting:
            one.close()


def enter() -> bool:
    """Moves this thread into the network namespace behind the machine, where it stays."""
    try:
        handle = os.open(NETWORK, os.O_RDONLY)
    except OSError as error:
        log(f"no network to check from: {error}")
        return False
    done = ctypes.CDLL(None).setns(handle, CLONE_NEWNET) == 0
    os.close(handle)
    return done
