"""Prints whether a machine accepts its peer's heartbeats, live and replayed, through starts of both machines.

Argument: the path of the program.
"""

import sys

sys.path.insert(0, sys.argv[1])
from hearing import heard

import wire as program
from role import Word

ONE, TWO, PORT = "127.0.0.2", "127.0.0.3", 3781
WORD = Word(1, True, True, True, False)
KEY = "of the pair"
kept = []


class Tap:
    """A socket that records its datagrams, like an attacker on the link."""

    def __init__(self, socket):
        self.socket = socket

    def send(self, datagram):
        kept.append(datagram)
        return self.socket.send(datagram)

    def __getattr__(self, name):
        return getattr(self.socket, name)


def begin(own, peer, old=None):
    """A restart of a machine."""
    if old is not None:
        old.socket.close()
    one = program.Wire({"self": own, "peer": peer, "port": PORT, "key": KEY})
    if own == TWO:
        one.socket = Tap(one.socket)
    return one


def rounds(most=3, before=()):
    """Ticks until the ear hears its live peer, ahead of whose signs come those `before`; 0: not within `most`."""
    for tick in range(1, most + 1):
        ear.say(WORD, True)
        heard(live)
        for datagram in before:
            live.socket.socket.send(datagram)
        live.say(WORD, True)
        if heard(ear) is not None:
            return tick
    return 0


def again(datagrams):
    """How many of them are accepted, each separately."""
    taken = 0
    for datagram in datagrams:
        live.socket.socket.send(datagram)
        taken += heard(ear) is not None
    return taken


def says(copies):
    """What the ear then holds for the peer's word on its copies."""
    live.say(WORD, copies)
    return heard(ear) is not None and ear.peer_copies


ear, live = begin(ONE, TWO), begin(TWO, ONE)
print("live after ticks:", rounds())
first = len(kept)
live = begin(TWO, ONE, live)
print("second start after ticks:", rounds())
print("first start again:", again(kept[:first]))
print("second start again:", again(kept[first:]))
print("live after ticks:", rounds())
print("refused:", ear.refused_total)

ear = begin(ONE, TWO, ear)
print("all again, after an own start:", again(kept), "refused:", ear.refused_total)
print("live after ticks:", rounds())
print("all again:", again(kept), "live after ticks:", rounds())

for _ in range(30):
    live = begin(TWO, ONE, live)
    rounds()
ear = begin(ONE, TWO, ear)
print("live among thirty starts again:", rounds(200, kept) > 0)
said = [says(True), says(False)]
print("copies:", said[0], "not any more:", said[1])
print("copies:", says(True), "not, in a recording:", again([kept[-7]]), ear.peer_copies)
