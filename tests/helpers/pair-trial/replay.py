"""Prints whether a machine hears its peer's signs of life: live, of a second start, and the first start's again."""

import sys

sys.path.insert(0, sys.argv[1])
from role import Word
from wire import Wire

ONE, TWO, PORT = "127.0.0.2", "127.0.0.3", 3781
WORD = Word(1, True, True, True, False)
KEY = "of the pair"


def wire(self, peer):
    return Wire({"self": self, "peer": peer, "port": PORT, "key": KEY})


ear = wire(ONE, TWO)
kept = []


def begin():
    """A start of the peer, whose datagrams are kept as someone on the link could."""
    sender = wire(TWO, ONE)
    send = sender.socket.send
    original = sender.socket

    class Tap:
        def send(self, datagram):
            kept.append(datagram)
            return send(datagram)

    sender.socket = Tap()
    return sender, original


first, socket = begin()
first.say(WORD)
print("live", ear.hear()[0] is not None)
socket.close()
second, socket = begin()
second.say(WORD)
print("second start", ear.hear()[1])
socket.send(kept[0])
print("first start again", ear.hear()[0] is not None)
second.say(WORD)
print("live again", ear.hear()[0] is not None)
socket.send(kept[1])
print("older again", ear.hear()[0] is not None)
print("refused", ear.refused_total)
