"""Prints how often a machine mistakes its live peer for dead while messages are lost.

Arguments: the path of the program, percent lost, ticks. The losses are always the same.
"""

import random
import sys

sys.path.insert(0, sys.argv[1])
from hearing import heard

import wire as program
from role import Word

PORT, DEAD, WORD = 3793, 3, Word(1, True, True, True, False)
lost, ticks = int(sys.argv[2]) / 100, int(sys.argv[3])
chance = random.Random(1)


class Lossy:
    """A socket with random loss."""

    def __init__(self, socket):
        self.socket = socket
        self.sent = 0

    def send(self, datagram):
        if chance.random() >= lost:
            self.socket.send(datagram)
            self.sent += 1

    def __getattr__(self, name):
        return getattr(self.socket, name)


def machine(own, peer):
    one = program.Wire({"self": own, "peer": peer, "port": PORT, "key": "of the pair"})
    one.socket = Lossy(one.socket)
    return one


def tell(speaker, listener):
    """What the listener hears of six datagrams, some of them lost."""
    before = speaker.socket.sent
    speaker.say(WORD, True)
    return heard(listener) if speaker.socket.sent > before else None


ear, live = machine("127.0.0.4", "127.0.0.5"), machine("127.0.0.5", "127.0.0.4")
silent, deaths = 0, 0
for _ in range(ticks):
    tell(ear, live)
    silent = 0 if tell(live, ear) is not None else silent + 1
    deaths += silent == DEAD
print("taken for dead:", deaths, "refused:", ear.refused_total)
