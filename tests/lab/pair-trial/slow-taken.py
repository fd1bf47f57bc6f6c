"""Moves the role away from a machine while its take-over's last steps hang, and prints what happens, in order.

Argument: the path of the program. Stand-ins replace conntrackd, the kernel's tools, the cloud and the peer.
"""

import sys
import threading
import types

sys.path.insert(0, sys.argv[1])
SECONDS = 5
happened = []


class Nothing:
    refused_total = 0

    def __init__(self, *_):
        pass


class Cloud(Nothing):
    here = False

    def take(self, _wanted):
        self.here = True

    def release(self):
        happened.append("released")

    def carries(self):
        happened.append("looked")
        return self.here


for name, members in (
    ("check", {"Check": Nothing}),
    ("wire", {"Wire": Nothing}),
    ("cloud", {"Outside": Cloud}),
):
    sys.modules[name] = types.SimpleNamespace(**members)
import daemon  # noqa: E402
import sessions  # noqa: E402
from role import LOOK, RELEASE, TAKE  # noqa: E402

hanging = {word: (threading.Event(), threading.Event()) for word in ("-B", "renew")}


def tool(words, _seconds):
    """Logs what conntrackd is asked; what hangs does so until it is let go on."""
    if words[0] == "conntrackd":
        happened.append(" ".join(words[3:]))
    begun, goes_on = hanging.get(words[-1], (threading.Event(), None))
    begun.set()
    if goes_on is not None:
        goes_on.wait()
    return 0, ""


def soon(holds):
    """Waits until that holds, at most for SECONDS."""
    ended = threading.Event()
    for _ in range(SECONDS * 100):
        if holds():
            return
        ended.wait(0.01)


def order(action, wants, then):
    with one.changed:
        one.state = one.state._replace(wants=wants)
        one.command(action)
    soon(lambda: happened[-1:] == [then])


daemon.log = sessions.log = lambda _: None
daemon.read = lambda _: ""
sessions.run = tool
sessions.pid_of = lambda _: None
daemon.sessions_of = lambda _: sessions.Sessions()
own = {"advertisementMs": 100, "self": "127.0.0.1", "peer": "127.0.0.2", "outside": {"kind": "cloud"}}
one = daemon.Daemon(own)
threading.Thread(target=one.move, daemon=True).start()
order(TAKE, wants=True, then="-B")
order(LOOK, wants=True, then="looked")
order(RELEASE, wants=False, then="released")
happened.append("the peer is sent all")
hanging["-B"][1].set()
soon(lambda: happened[-1:] == ["-n"])
hanging["renew"][0].wait()
happened.append("the kernel goes on")
hanging["renew"][1].set()
soon(lambda: "-n" in happened)
print(", ".join(happened), flush=True)
happened.clear()
one.sessions.taken(lambda: one.committed)
print("asked by a late thread:", *happened)
