"""Runs a pair's whole program on two machines, in a network and before an EC2 that are made up, by a seed.

The program is all its own: role, daemon with its threads, EC2's requests with signatures and answers, signs of life.
simulated.py replaces time, threads and sockets, simulated_ec2.py HTTP. Faults begin and end at any time, several at
once: cut (either way), split, lost, late and repeated signs of life; machines that stand still, end and start again;
clocks that are set; requests that EC2 never sees, does late, does again, refuses, leaves unanswered, or answers with
nothing or what was true before; names that nobody resolves; an operator who leads a route away. Arguments: the path of
the program, walks, a seed. Prints a JSON line: for how many seconds at most a machine said "active" and did not carry,
and how long it took at most until one machine carried and said so, once all faults had ended.
Not run: conntrackd, the health check's own connections, a kernel.
"""

import importlib.util
import json
import os
import socket
import sys
import time
import types

sys.path.insert(0, os.path.dirname(__file__))
from simulated import EPOCH, Like, Simulation, threads
from simulated_ec2 import ELASTIC_IP, FATES, LATEST_SECONDS, MOVING, PLACES, Cloud, Connection

PROGRAM = sys.argv[1]
ADDRESSES = ("198.19.1.11", "198.19.1.12")
FAULT_SECONDS, CALM_SECONDS = 120, 60
FAULTS = ("cut", "split", "loss", "freeze", "end", "clock", "fates", "away", "forwards", "operator", "leave")


class Datagrams:
    """The socket for heartbeats."""

    def __init__(self, machine):
        self.machine = machine

    def __getattr__(self, _):
        return lambda *_: None

    def getsockopt(self, *_):
        return bytes(36)

    def send(self, text):
        self.machine.network.carry(self.machine, text)

    def recv(self, _):
        if not self.machine.inbox:
            raise BlockingIOError
        return self.machine.inbox.pop(0)


class Network:
    def __init__(self, sim):
        self.sim, self.machines = sim, ()
        self.split = False
        self.loss = self.late = self.again = 0.0

    def carry(self, sender, text):
        peer, chance = self.machines[1 - sender.at], self.sim.chance
        stopped = self.split or sender.cut in ("out", "both") or peer.cut in ("in", "both")
        if stopped or chance.random() < self.loss:
            return
        for _ in range(2 if chance.random() < self.again else 1):
            wait = chance.uniform(0.2, 3) if chance.random() < self.late else 0.001
            self.sim.at(self.sim.now + wait, lambda: peer.inbox.append(text))


class Sessions:
    running, errors = True, 0

    def __init__(self, sim):
        self.sim = sim

    def commit(self):
        self.sim.wait(self.sim.chance.choice((0, 0.01, 0.3, 2)))

    def behind(self):
        return False

    def __getattr__(self, _):
        return lambda *_: self.sim.wait(self.sim.chance.choice((0, 0.02)))


class Machine:
    """A machine, on which the program starts again and again."""

    def __init__(self, sim, network, cloud, at):
        self.sim, self.network, self.cloud, self.at = sim, network, cloud, at
        self.off, self.frozen, self.forwards, self.leaving, self.cut = 0.0, False, True, False, ""
        self.inbox = []
        self.daemon = None

    def stand_ins(self):
        woken = []

        def select(_read, _write, _error, seconds):
            self.sim.wait(seconds, lambda: bool(woken))
            return woken[:1], [], []

        def connection(host, timeout):
            return Connection(self, host, timeout)

        kinds = ("HTTPConnection", "HTTPSConnection")
        return {
            "time": Like(
                time,
                monotonic=lambda: self.sim.now,
                time=lambda: EPOCH + self.sim.now + self.off,
                sleep=self.sim.wait,
            ),
            "threading": threads(self.sim, self),
            "select": types.SimpleNamespace(select=select),
            "socket": Like(socket, socket=lambda *_: Datagrams(self)),
            "http": types.SimpleNamespace(client=types.SimpleNamespace(**dict.fromkeys(kinds, connection))),
            "os": Like(
                os,
                path=Like(os.path, exists=lambda _: False),
                environ={},
                urandom=self.sim.chance.randbytes,
                pipe=lambda: (0, 0),
                set_blocking=lambda *_: None,
                write=lambda *_: woken.append(1),
                read=lambda *_: woken.clear(),
            ),
        }

    def start(self):
        nothing = {
            "log": lambda _: None,
            "read": lambda _: "",
            "pid_of": lambda _: 1 if self.leaving else None,
            "write": lambda *_: None,
            **dict.fromkeys(("METRICS_FILE", "PIDS", "ROLE_FILE", "STATUS_FILE"), "/nonexistent"),
        }
        check = types.SimpleNamespace(for_ever=self.check)
        sys.modules["run"] = types.SimpleNamespace(**nothing)
        sys.modules["check"] = types.SimpleNamespace(Check=lambda _: check)
        sys.modules["sessions"] = types.SimpleNamespace(sessions_of=lambda _: Sessions(self.sim))
        stand_ins = self.stand_ins()
        # Each start loads its own modules, like a process.
        for name in ("role", "wire", "ec2", "daemon"):
            spec = importlib.util.spec_from_file_location(name, os.path.join(PROGRAM, f"{name}.py"))
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            module.__dict__.update({one: made for one, made in stand_ins.items() if one in module.__dict__})
        outside = {"kind": "ec2", "networkInterfaceId": f"eni-{self.at}", "privateAddress": MOVING}
        outside["elasticIpId"] = ELASTIC_IP
        self.daemon = sys.modules["daemon"].Daemon(
            {
                "self": ADDRESSES[self.at],
                "peer": ADDRESSES[1 - self.at],
                "port": 1,
                "key": "k",
                "advertisementMs": 100,
                "sessions": True,
                "outside": {**outside, "routeTableIds": list(PLACES[1:])},
            }
        )
        self.sim.start(self, self.daemon.run)

    def check(self, note):
        while True:
            self.sim.wait(1)
            note(self.forwards)

    def end(self):
        if self.daemon is not None:
            self.sim.kill(self)
            self.daemon, self.inbox = None, []

    def says_active(self):
        return self.daemon is not None and not self.frozen and self.daemon.status()["active"]


class Walk:
    def __init__(self, seed):
        self.sim = Simulation(seed)
        self.network, self.cloud = Network(self.sim), Cloud(self.sim)
        self.machines = tuple(Machine(self.sim, self.network, self.cloud, at) for at in (0, 1))
        self.network.machines = self.machines
        self.lies, self.longest, self.worst = [0.0, 0.0], 0.0, ""
        self.looked = self.good_since = 0.0
        self.faults = []

    def look(self):
        passed, self.looked = self.sim.now - self.looked, self.sim.now
        said = [at for at, machine in enumerate(self.machines) if machine.says_active()]
        for at in (0, 1):
            # No machine can know of an operator's change while EC2 does not answer.
            untold = self.cloud.by_operator and (self.cloud.fates or self.cloud.away or self.machines[at].cut)
            lies = at in said and not self.cloud.holds(at) and not untold
            self.lies[at] = self.lies[at] + passed if lies else 0.0
            if self.lies[at] > self.longest:
                self.longest, self.worst = self.lies[at], f"{self.sim.now:.1f} s, machine {at}: {self.faults}"
        if len(said) != 1 or not self.cloud.holds(said[0]):
            self.good_since = self.sim.now

    def fault(self):
        """Starts a fault or an event."""
        chance = self.sim.chance
        machine, kind = chance.choice(self.machines), chance.choice(FAULTS)
        if kind == "cut":
            machine.cut = chance.choice(("in", "out", "both"))
        elif kind == "split":
            self.network.split = True
        elif kind == "loss":
            self.network.loss, self.network.late, self.network.again = (
                chance.random() * 0.7 for _ in range(3)
            )
        elif kind == "freeze":
            machine.frozen = True
        elif kind == "end":
            machine.end()
        elif kind == "clock":
            machine.off += chance.choice((-1, 1)) * chance.choice((1, 200, 301, 3600, 40_000_000))
        elif kind == "fates":
            some = chance.sample(FATES, chance.randint(1, 3))
            self.cloud.fates = {fate: chance.choice((0.2, 0.6, 1)) for fate in some}
        elif kind == "away":
            self.cloud.away = True
        elif kind == "forwards":
            machine.forwards = False
        elif kind == "leave":
            machine.leaving = True
        else:
            self.cloud.lead(chance.choice(PLACES), chance.choice(("", "eni-0", "eni-1", "nat-1")), True)
        self.faults = [*self.faults[-3:], kind]

    def calm(self):
        self.network.split = False
        self.network.loss = self.network.late = self.network.again = 0.0
        self.cloud.fates, self.cloud.away = {}, False
        for machine in self.machines:
            machine.cut, machine.frozen, machine.forwards, machine.leaving = "", False, True, False
            if machine.daemon is None:
                machine.start()
        self.faults = []

    def run(self):
        chance = self.sim.chance
        self.calm()
        self.sim.run(10, self.look)
        ends = self.sim.now + FAULT_SECONDS
        while self.sim.now < ends:
            for _ in range(chance.choice((1, 1, 2, 3))):
                self.fault()
            self.sim.run(chance.choice((0.2, 1, 3, 8, 25)), self.look)
            if chance.random() < 0.5:
                self.calm()
                self.sim.run(chance.choice((0.3, 2, 10)), self.look)
        self.calm()
        begun = self.sim.now
        self.sim.run(CALM_SECONDS + LATEST_SECONDS, self.look)
        for machine in self.machines:
            machine.end()
        return self.good_since - max(begun, self.cloud.last_late)


def main():
    walks, seed = int(sys.argv[2]), int(sys.argv[3])
    found = {"lying": 0.0, "settles": 0.0, "lie": "", "settling": -1, "failures": []}
    for number in range(seed, seed + walks):
        walk = Walk(number)
        settles = walk.run()
        if walk.longest > found["lying"]:
            found.update(lying=round(walk.longest, 2), lie=f"walk {number}, {walk.worst}")
        if settles > found["settles"]:
            found.update(settles=round(settles, 2), settling=number)
        found["failures"] += walk.sim.failures
    print(json.dumps(found))


main()
