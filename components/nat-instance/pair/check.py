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
# Longer than any round trip; a SYN that was lost is sent again after a second only.
ANSWER_SECONDS = 0.6


class Check:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.name = parameters["check"]["address"]
        self.port = parameters["check"]["port"]
        self.address = ""

    def look_up(self) -> None:
        """A name's last address stands where no name server answers."""
        text = run(["getent", "ahostsv4", self.name], 1)[1].split()
        self.address = text[0] if text and text[0][0].isdigit() else self.address

    def once(self) -> bool:
        """From a thread that is in the check's network. A refusal is an answer."""
        try:
            socket.create_connection((self.address, self.port), ANSWER_SECONDS).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return True

    def for_ever(self, say: Callable[[bool], None]) -> None:
        """Two failures in a row are one, and two successes the end of it."""
        threading.Thread(target=self.look_up_for_ever, daemon=True).start()
        entered, before = False, True
        while True:
            begun = time.monotonic()
            entered = entered or enter()
            good = entered and self.once()
            if good == before:
                say(good)
            before = good
            time.sleep(max(0.1, begun + 1 - time.monotonic()))

    def look_up_for_ever(self) -> None:
        while True:
            self.look_up()
            time.sleep(LOOK_UP_SECONDS if self.address else 1)


def enter() -> bool:
    """This thread goes into the network behind the machine, and stays there."""
    try:
        handle = os.open(NETWORK, os.O_RDONLY)
    except OSError as error:
        log(f"no network to check from: {error}")
        return False
    done = ctypes.CDLL(None).setns(handle, CLONE_NEWNET) == 0
    os.close(handle)
    return done
