"""The daemon of a machine of a pair: heartbeats, role, take-over, and the status that it publishes."""

import importlib
import json
import os
import select
import socket
import threading
import time
from typing import Any, Callable, Dict, Optional, Tuple

from check import Check
from role import LOOK, PURGE, RELEASE, TAKE, Rules, Seen, first_state, role_of, step, word_of
from run import METRICS_FILE, PIDS, ROLE_FILE, STATUS_FILE, log, pid_of, read, write
from sessions import sessions_of
from wire import Wire

TAKEOVERS_FILE = f"{ROLE_FILE}-takeovers"
KEEP_SECONDS = 1
# From a purge to the flush of the kernel's table: PurgeTimeout in conntrackd's configuration.
FLUSH_SECONDS = 2


def rules_of(parameters: Dict[str, Any]) -> Rules:
    """Converts times to ticks; a tick is the interval between heartbeats."""
    tick = parameters["advertisementMs"] / 1000
    look = 5 if parameters["outside"]["kind"] == "ec2" else 1

    def ticks(seconds: float) -> int:
        return max(1, round(seconds / tick))

    return Rules(
        dead=3,
        listen=max(5, ticks(1.5)),
        # Longer than a slow machine takes to load a full table.
        vain=ticks(15),
        patience=ticks(5),
        most_patience=ticks(600),
        retry=ticks(0.5),
        # Each table takes a write, and EC2 allows five a second over time (ec2-api-throttling.html).
        most_retry=ticks(2),
        look=ticks(look),
        answer=ticks(1),
    )


class Daemon:
    def __init__(self, parameters: Dict[str, Any]) -> None:
        self.tick = parameters["advertisementMs"] / 1000
        self.rules = rules_of(parameters)
        self.lower = socket.inet_aton(parameters["self"]) < socket.inet_aton(parameters["peer"])
        self.sessions = sessions_of(parameters)
        self.outside = importlib.import_module(parameters["outside"]["kind"]).Outside(parameters["outside"])
        self.wire = Wire(parameters)
        self.check = Check(parameters)
        self.state = first_state(self.rules)
        self.forwards = True
        self.leaving = False
        # The mover thread's state: its latest order, and the result of the order before.
        self.order: Optional[str] = None
        self.busy = False
        self.result = Seen()
        self.epoch = 0
        self.committed = False
        # Whether nobody else has carried since this machine did; None: its table was flushed since, or it just booted.
        # A daemon that starts again expects the worst.
        self.alone = False if read(f"{PIDS}/conntrackd") else None
        # When the last purge's flush begins, which a take before that calls off. 9e9: none is due.
        self.flushed = 9e9
        self.changed = threading.Condition()
        self.publishing = threading.Lock()
        self.role = ""
        self.last_carries: Optional[bool] = None
        self.ticked = time.monotonic()
        self.wake_read, self.wake_write = os.pipe()
        os.set_blocking(self.wake_write, False)

    def run(self) -> None:
        # Threads apart: the first two may block on a hung conntrackd.
        for loop in (
            self.move,
            lambda: self.again(self.sessions.keep),
            lambda: self.again(self.publish),
            lambda: self.check.for_ever(self.note),
        ):
            threading.Thread(target=loop, daemon=True).start()
        last = time.monotonic()
        due = last
        while True:
            ready, _, _ = select.select([self.wake_read], [], [], max(0.0, due - time.monotonic()))
            if ready:
                os.read(self.wake_read, 4096)
            now = time.monotonic()
            early = now < due
            due = due if early else max(due + self.tick, now + self.tick / 2)
            self.once(now - last, early)
            last = now

    def once(self, elapsed: float, early: bool) -> None:
        self.ticked = time.monotonic()
        paused = elapsed > self.rules.dead * self.tick
        heard, restarted = self.wire.hear()
        self.leaving = pid_of("leaving") is not None
        with self.changed:
            found, self.result = self.result, Seen()
            if paused:
                self.epoch += 1
            seen = found._replace(
                heard=heard,
                restarted=restarted,
                early=early,
                forwards=self.forwards,
                leaving=self.leaving,
                paused=paused,
                busy=self.busy,
            )
            before = self.state
            state, actions = step(before, seen, self.rules, self.lower)
            self.state = state
            for action in actions:
                self.command(action)
        if heard is not None and heard.wants and self.alone:
            self.alone = False
        self.wire.say(word_of(state, seen), self.copies())
        if state.confirmed and not before.confirmed and before.wants:
            self.took_over(before)
        self.publish_role()

    def command(self, action: str) -> None:
        """Orders an action. A look never replaces a pending release; otherwise the newest order wins."""
        if action in (TAKE, RELEASE):
            self.epoch += 1
        if action in (LOOK, PURGE) and self.order is not None:
            return
        self.order = action
        self.busy = True
        self.changed.notify_all()

    def note(self, forwards: bool) -> None:
        if forwards != self.forwards:
            log("forwards again" if forwards else "forwarding fails")
        self.forwards = forwards

    def wake(self) -> None:
        try:
            os.write(self.wake_write, b"x")
        except BlockingIOError:
            pass

    def look_back(self) -> None:
        """Asks whether this machine has gone on to carry, for less time than a new daemon listens before it takes."""
        found = []
        look = threading.Thread(target=lambda: found.append(self.outside.carries()), daemon=True)
        look.start()
        look.join(1)
        self.alone = found == [True]

    def move(self) -> None:
        if self.alone is False:
            self.look_back()
        while True:
            with self.changed:
                while self.order is None:
                    self.busy = False
                    self.changed.wait()
            action, epoch = self.begin()
            result = self.act(action)
            self.end(epoch, result)
            if action == TAKE and self.committed and self.state.wants and result.carries:
                threading.Thread(
                    target=lambda: self.sessions.taken(lambda: self.committed), daemon=True
                ).start()

    def begin(self) -> Tuple[str, int]:
        """Takes the latest order."""
        with self.changed:
            action, self.order = str(self.order), None
            return action, self.epoch

    def end(self, epoch: int, result: Seen) -> None:
        with self.changed:
            self.busy = self.order is not None
            # Results of an action that began before the last order, or before a pause, are out of date.
            if epoch == self.epoch:
                self.result = result
                self.last_carries = result.carries
        self.wake()

    def act(self, action: str) -> Seen:
        try:
            return self.follow(action)
        except Exception as error:  # noqa: BLE001 (the next tick tries again)
            log(f"{action}: {error!r}")
            return Seen()

    def follow(self, action: str) -> Seen:
        if action == TAKE:
            if not self.committed:
                if not self.sessions.interrupt() and time.monotonic() > self.flushed:
                    self.alone = None
                self.flushed = 9e9
                # It left its role to nobody: the other one may have carried since without being heard.
                if self.alone:
                    self.look_back()
                if self.alone is False:
                    self.sessions.ignore_windows(1)
                self.sessions.commit()
                self.committed = True
            self.outside.take(lambda: self.state.wants)
        if action in (TAKE, LOOK):
            carries = self.outside.carries()
            # After a take the cloud's answer may lag, which matters only to entries from before.
            if carries is False and (action == LOOK or self.alone):
                self.alone = self.last_carries = False
                self.sessions.ignore_windows(1)
            return Seen(carries=carries, unknown=carries is None)
        if action == RELEASE:
            self.committed = False
            self.alone = bool(self.last_carries)
            self.outside.release()
            self.sessions.stand_by()
            return Seen()
        carries = self.outside.carries()
        if carries is False and not self.state.wants:
            self.sessions.purge()
            self.flushed = time.monotonic() + FLUSH_SECONDS
        return Seen(carries=carries, purged=carries is False)

    def again(self, work: Callable[[], None]) -> None:
        while True:
            try:
                work()
            except Exception as error:  # noqa: BLE001 (it is tried again)
                log(repr(error))
            time.sleep(KEEP_SECONDS)

    def took_over(self, before: Any) -> None:
        # The first term of a pair takes over from nobody.
        if before.doubt or before.term < 2 or self.role == "active":
            return
        write(TAKEOVERS_FILE, f"{read(TAKEOVERS_FILE)}\n{int(time.time())}\n".lstrip())

    def publish_role(self) -> None:
        role = role_of(self.state, self.leaving)
        if role != self.role:
            self.role = role
            log(f"{role}, term {self.state.term}")
            write(ROLE_FILE, f"{role}\n")
            self.publish()

    def copies(self) -> bool:
        # A peer without heartbeats sends no copies either.
        heard = self.state.silent < self.rules.dead
        return self.sessions.running and not (heard and self.sessions.behind())

    def status(self) -> Dict[str, Any]:
        """The observed state, not the intended one."""
        state = self.state
        peer = state.peer if state.silent < self.rules.dead else None
        # A main loop that has not run for seconds cannot vouch for its role.
        role = self.role if time.monotonic() < self.ticked + 3 else "stuck"
        standing_by = role == "standby" and peer is not None and peer.confirmed
        copies = self.copies()
        return {
            "role": role,
            "active": role == "active",
            "ready": (role == "active" or standing_by) and self.forwards and copies,
            "carries": state.confirmed if state.wants else self.last_carries,
            "forwards": self.forwards,
            "peer_heard": peer is not None,
            "peer_carries": peer is not None and peer.confirmed,
            "peer_forwards": peer is not None and peer.forwards,
            "peer_leaving": peer is not None and peer.leaving,
            "peer_sync_running": peer is not None and self.wire.peer_copies,
            "sync_running": copies,
            "sync_errors_total": self.sessions.errors,
            "refused_total": self.wire.refused_total,
        }

    def publish(self) -> None:
        """Writes the status as JSON and as Prometheus metrics (1 for yes)."""
        with self.publishing:
            status = self.status()
            # Whoever reads the file of programs that were killed sees how old it is.
            write(STATUS_FILE, json.dumps({**status, "written": round(time.time(), 3)}))
            figures = (f"egress_bench_nat_{k} {int(v or 0)}\n" for k, v in status.items() if k != "role")
            write(METRICS_FILE, "".join(figures))
