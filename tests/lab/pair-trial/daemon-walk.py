"""Walks the model of role-model.py and the pair's program side by side, through the same faults, by a seed.

The program is the daemon of each machine with its own queue of orders; stand-ins replace its clock, its peer's words,
conntrackd and the cloud. After each round both machines' states, what they do and ask next, and who holds the address
are equal. Arguments: the path of the program, walks, rounds of each, a seed. Prints the rounds, or what differs.
"""

import importlib.util
import os
import random
import sys
import types

sys.path.insert(0, sys.argv[1])


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class Nothing:
    def __init__(self, *_):
        self.running, self.errors, self.refused_total = True, 0, 0

    def none(self, *_):
        pass

    interrupt = ignore_windows = commit = taken = stand_by = purge = behind = none


class Wire(Nothing):
    """Receives the walk's messages."""

    word, restarted, said = None, False, None
    peer_copies = True

    def hear(self):
        return self.word, self.restarted

    def say(self, word, _copies):
        self.said = word


class Cloud:
    """The targets of address and routes in the walk's own world."""

    away, holder = False, None

    def __init__(self, outside):
        self.at = outside["at"]

    def take(self, wanted):
        if wanted() and not Cloud.away:
            Cloud.holder = self.at

    def release(self):
        pass

    def carries(self):
        return None if Cloud.away else Cloud.holder == self.at


stand_in("sessions", sessions_of=Nothing)
stand_in("check", Check=Nothing)
stand_in("wire", Wire=Wire)
stand_in("cloud", Outside=Cloud)
# No file of this machine is written or read.
quiet = {"log": lambda _: None, "read": lambda _: "", "write": lambda *_: None, "pid_of": lambda _: None}
files = dict.fromkeys(("METRICS_FILE", "PIDS", "ROLE_FILE", "STATUS_FILE"), "/nonexistent")
stand_in("run", **files, **quiet)
import daemon  # noqa: E402

spec = importlib.util.spec_from_file_location(
    "role_model", os.path.join(os.path.dirname(__file__), "role-model.py")
)
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)
daemon.rules_of = lambda _: model.RULES


class Machine:
    """One machine's daemon, and its mover's current task."""

    def __init__(self, at):
        own = ("127.0.0.1", "127.0.0.2")
        outside = {"kind": "cloud", "at": at}
        self.daemon = daemon.Daemon(
            {"advertisementMs": 100, "self": own[at], "peer": own[1 - at], "outside": outside}
        )
        self.doing, self.epoch, self.result = "", 0, None

    def move(self, api, runs):
        one = self.daemon
        if not self.doing and one.order is not None and runs:
            self.doing, self.epoch = one.begin()
        of_cloud = self.doing != model.RELEASE
        if self.doing and self.result is None and (api != model.HANGS or not of_cloud):
            self.result = one.act(self.doing)
        if self.result is not None and runs and (api != model.SLOW or not of_cloud):
            one.end(self.epoch, self.result)
            self.doing, self.result = "", None
            os.read(one.wake_read, 4096)

    def close(self):
        os.close(self.daemon.wake_read)
        os.close(self.daemon.wake_write)


def shown(world):
    return world.states, world.doing, world.orders, world.holder


def walk(rounds, chance):
    world = model.World((model.first_state(model.RULES),) * 2)
    machines, words, still = [Machine(0), Machine(1)], [None, None], [0, 0]
    Cloud.holder = None
    for number in range(rounds):
        # Faults last for a while; shorter ones would have no effect.
        changed = chance.choice(list(model.faults(world))) if chance.random() < 0.3 else world
        for at in (0, 1):
            if changed == model.boot(world, at):
                machines[at].close()
                machines[at], still[at] = Machine(at), 0
        Cloud.away = changed.api == model.AWAY
        for at in (0, 1):
            machines[at].move(changed.api, changed.runs[at])
        said = [None, None]
        for at in (0, 1):
            if not changed.runs[at]:
                still[at] += 1
                continue
            one = machines[at].daemon
            one.forwards = changed.forwards[at]
            one.wire.word = words[1 - at] if changed.link else None
            one.wire.restarted = one.wire.word is not None and not changed.known[at]
            # A pause is longer than the peer waits for a heartbeat.
            one.once(one.tick * max(1, min(still[at], model.RULES.dead + 1)), False)
            said[at], still[at] = one.wire.said, 0
        words = said
        world = model.advance(changed, as_is=True)
        seen = (
            tuple(one.daemon.state for one in machines),
            tuple(one.doing for one in machines),
            tuple(one.daemon.order or "" for one in machines),
            Cloud.holder,
        )
        if seen != shown(world):
            sys.exit(f"round {number}: the program is at {seen}, the model at {shown(world)}")
    for one in machines:
        one.daemon.ticked -= 10
        if one.daemon.status()["role"] != "stuck":
            sys.exit("a machine whose program decides nothing any more says a role")
        one.close()


def main():
    walks, rounds, seed = (int(word) for word in sys.argv[2:5])
    chance = random.Random(seed)
    for _ in range(walks):
        walk(rounds, chance)
    print(walks * rounds)


main()
