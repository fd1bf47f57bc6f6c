"""Prints whether a machine accepts its peer's heartbeats, live and replayed, through starts of both machines.

Arguments: the path of the program, a directory of the test's own.
"""

import hashlib
import hmac
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
from hearing import heard

import wire as program
from role import Word

program.ACKNOWLEDGED_FILE = os.path.join(sys.argv[2], "acknowledged")
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


def of_before(number, run="before"):
    """A heartbeat of an earlier release, without an acknowledgement."""
    text = json.dumps([TWO, run, number, *WORD]).encode()
    return hmac.new(KEY.encode(), text, hashlib.sha256).digest() + text


def taken_by_before(datagram):
    """Whether that release accepts a heartbeat as its peer's, by its rules."""
    if len(datagram) > 512:
        return False
    sender, run, number, term, *flags = json.loads(datagram[32:])
    whole = isinstance(term, int) and isinstance(number, int) and isinstance(run, str) and len(flags) == 4
    return whole and sender != ONE and all(isinstance(flag, bool) for flag in flags)


def says(copies):
    """What the ear then holds for the peer's word on its copies."""
    live.say(WORD, copies)
    return heard(ear) is not None and ear.peer_copies


def mac_of(text):
    return hmac.new(KEY.encode(), text, hashlib.sha256).digest()


def of_last(number):
    """A heartbeat of the last release, which says nothing of copies, from the live peer's start."""
    text = json.dumps([[TWO, {ear.run: ear.number}], live.run, number, *WORD]).encode()
    return mac_of(text) + text


def taken_by_last(datagram):
    """Whether that release accepts a heartbeat as its peer's, by its rules."""
    (address, acknowledged), run, number, *word = json.loads(datagram[32:])
    kinds = [type(one) for one in (acknowledged, run, number, *word)]
    sound = datagram[:32] == mac_of(datagram[32:]) and address != ONE
    return sound and kinds == [dict, str, int, int, *[bool] * 4]


ear, live = begin(ONE, TWO), begin(TWO, ONE)
print(
    "of a version before this one:",
    again([of_before(1), of_before(2), of_before(9, "later"), of_before(8, "later")]),
)
print("live after ticks:", rounds())
print(
    "of a version before this one, once the peer tells:",
    again([of_before(10, "later"), of_before(1, "more")]),
)
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
print("of a version before this one, after an own start:", again([of_before(99, "last")]))

for _ in range(30):
    live = begin(TWO, ONE, live)
    rounds()
ear = begin(ONE, TWO, ear)
print("live among thirty starts again:", rounds(200, kept) > 0)
print("longest taken by a version before this one:", taken_by_before(max(kept, key=len)))
os.unlink(program.ACKNOWLEDGED_FILE)
ear = begin(ONE, TWO, ear)
print("of a version before this one, after another set-up:", again([of_before(1, "last"), *kept]))

ear, live = begin(ONE, TWO, ear), begin(TWO, ONE, live)
print("live after ticks:", rounds())
said = [says(True), says(False), taken_by_last(kept[-1]), taken_by_before(kept[-1])]
print("copies:", said[0], "not any more:", said[1], "taken by both versions before this one:", *said[2:])
live.number += 1
print("of the last version:", again([of_last(live.number)]), "copies:", ear.peer_copies)
print("copies:", says(True), "not, in a recording:", again([kept[-7]]), ear.peer_copies)
