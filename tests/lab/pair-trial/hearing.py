"""How a test's machine hears: a busy kernel delivers a datagram only after its send has returned."""

import select


def heard(wire):
    """The word in what was sent to the machine, once that has arrived."""
    select.select([wire.socket.fileno()], [], [], 5)
    return wire.hear()[0]
