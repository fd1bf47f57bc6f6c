"""Whether this machine forwards: a network behind it connects to an address outside, and back."""

import ctypes
import os
import socket
import threading
import time
from typing import Any, Callable, Dict

from run import log, run

NETWORK = "/run/netns/ebcheck"
CLONE_NEWNET = 0x40000000
LOOK_UP_SECONDS = 30
# Longer than any round trip, but shorter than the second after which a lost SYN is sent again.
ANSWER_SECONDS = 0.6


class Check:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.name = parameters["check"]["address"]
        self.port = parameters["check"]["port"]
        self.address = ""
        # Opened in the machine's own network: the open files keep referring to its table.
        path = "/proc/sys/net/netfilter/nf_conntrack_"
        self.counters = [os.open(path + name, os.O_RDONLY) for name in ("count", "max")]

    def look_up(self) -> None:
        """Looks up the name; keeps its last address while no name server answers."""
        text = run(["getent", "ahostsv4", self.name], 1)[1].split()
        self.address = text[0] if text and text[0][0].isdigit() else self.address

    def once(self) -> bool:
        """Connects once, from a thread in the check's network. A refused connection counts as an answer."""
        try:
            socket.create_connection((self.address, self.port), ANSWER_SECONDS).close()
        except OSError as error:
            return isinstance(error, ConnectionRefusedError)
        return True

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
            time.sleep(LOOK_UP_SECONDS if self.address else 1)


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
