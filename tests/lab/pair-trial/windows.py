"""Prints what a machine of a pair has set for TCP windows once it carries, by what happened before.

Argument: the path of the program. Stand-ins replace conntrackd, the cloud and the peer.
"""

import sys
import threading
import types

sys.path.insert(0, sys.argv[1])


class Nothing:
    running, errors, refused_total, peer_copies = True, 0, 0, True

    def __init__(self, *_):
        pass

    def none(self, *_):
        pass

    commit = taken = stand_by = behind = none


class Sessions(Nothing):
    """The kernel keeps its value while the daemon starts again."""

    liberal = 0
    flushing = False

    def interrupt(self):
        return Sessions.flushing

    def ignore_windows(self, value):
        Sessions.liberal = value

    def purge(self):
        Sessions.liberal = 0


class Cloud(Nothing):
    """Each answer says where address and routes lead at that time."""

    answers = iter(())

    take = release = Nothing.none

    def carries(self):
        answer = next(Cloud.answers)
        return answer() if callable(answer) else answer


for name, members in (
    ("sessions", {"sessions_of": Sessions}),
    ("check", {"Check": Nothing}),
    ("wire", {"Wire": Nothing}),
    ("cloud", {"Outside": Cloud}),
):
    sys.modules[name] = types.SimpleNamespace(**members)
import daemon  # noqa: E402
from role import LOOK, PURGE, RELEASE, TAKE, Word  # noqa: E402

daemon.log = lambda _: None
clock = types.SimpleNamespace(now=1000.0)
daemon.time = types.SimpleNamespace(monotonic=lambda: clock.now)
LOOK_BACK = "look back"
HEARD = "hears that the other one wants to carry"


def flush():
    """The time passes after which conntrackd flushes the kernel's table, as asked by a purge."""
    clock.now += daemon.FLUSH_SECONDS + 0.1


class Late:
    """An answer that the cloud gives only when it is called."""

    def __init__(self):
        self.given = threading.Event()
        self.asked = None

    def __call__(self):
        self.asked = threading.current_thread()
        self.given.wait()
        return False

    def give(self):
        self.given.set()
        self.asked.join()


def after(before, orders, answers):
    """The setting after a daemon's orders. `before`: whether a daemon has run since the boot."""
    daemon.read = lambda _: "1" if before else ""
    Cloud.answers = iter(answers)
    one = daemon.Daemon(
        {"advertisementMs": 100, "self": "127.0.0.1", "peer": "127.0.0.2", "outside": {"kind": "cloud"}}
    )
    for order in orders:
        if order == LOOK_BACK:
            one.look_back()
            continue
        if order == HEARD:
            one.wire.hear = lambda: (
                Word(9, wants=True, confirmed=False, forwards=True, leaving=False),
                False,
            )
            one.wire.say = one.publish_role = Nothing().none
            one.once(0.1, False)
            continue
        if callable(order):
            order()
            continue
        one.order = order
        _, epoch = one.begin()
        one.end(epoch, one.act(order))
    return Sessions.liberal


def case(title, *starts):
    Sessions.liberal = 0
    for start in starts:
        clock.now += 60
        found = after(*start)
    print(f"{title}: {found}")


BACK_AT_ONCE = (True, [LOOK_BACK, TAKE], [True, True, True])
OTHER_CARRIED = (False, [TAKE, LOOK, TAKE], [True, False, True])
case("booted, took", (False, [TAKE], [True]))
case("stood by, purged, took", (False, [RELEASE, PURGE, flush, TAKE], [False, True]))
case("stood by, purged, took before the flush", (False, [RELEASE, PURGE, TAKE], [False, True]))
case(
    "stood by, purged twice, took before the flush",
    (False, [RELEASE, PURGE, PURGE, TAKE], [False, False, True]),
)
Sessions.flushing = True
case(
    "stood by, purged, took while the flush was under way",
    (False, [RELEASE, PURGE, flush, TAKE], [False, True]),
)
Sessions.flushing = False
case("stood by, took before it purged", (False, [RELEASE, TAKE], [True]))
case("handed over to nobody", (False, [TAKE, RELEASE, TAKE], [True, True, True]))
case(
    "handed over, the other one took without being heard", (False, [TAKE, RELEASE, TAKE], [True, False, True])
)
case("started again, nobody else carried", BACK_AT_ONCE)
case("started again, the other one carried", (True, [LOOK_BACK, TAKE], [False, True]))
case("started again, no answer", (True, [LOOK_BACK, TAKE], [None, True]))
case("started again, both took at once", (True, [LOOK_BACK, TAKE, TAKE], [True, False, True]))
took, orders, answers = OTHER_CARRIED
case(
    "the other one carried, then handed over to nobody",
    (took, [*orders, RELEASE, TAKE], [*answers, True, True]),
)
case("the other one carried, then started again", OTHER_CARRIED, BACK_AT_ONCE)
orders = [TAKE, RELEASE, HEARD, TAKE]
case("handed over, the other one took without being confirmed, took", (False, orders, [True, True]))
late = Late()
case("started again, purged before a late answer", (True, [LOOK_BACK, PURGE, late.give], [late, False]))
