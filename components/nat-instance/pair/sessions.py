"""Copies of connections, made by conntrackd: every call to it has a timeout, and it is restarted when it hangs."""

import importlib
import os
import re
import subprocess
import threading
import time
from typing import Any, Callable, Dict, Optional, Tuple

from run import PIDS, RUN, end, launch, log, pid_of, processor_ticks, run, stat_of

CONFIGURATION = "/etc/egress-bench/conntrackd.conf"
ANSWER_SECONDS = 2
# The commit of a large table keeps conntrackd busy for seconds; a hung conntrackd uses no CPU.
IDLE_SECONDS = 1.0
LOST = re.compile(r"(?:Packets lost|Malformed messages):\s*(\d+)|(\d+) Error (?:send|recv)")
ARRIVED = re.compile(r"(\d+) Pckts recv")
# conntrackd sends a sign of life each second if it has nothing else to send.
SILENT_SECONDS = 5


class Sessions:
    def __init__(self) -> None:
        self.running = False
        self.errors = 0
        self.bad = 0
        # Number of packets that arrived from the peer's conntrackd, and when it last changed.
        self.arrived = ""
        self.moved = time.monotonic()
        # Until then a commit that failed counts, or copies that have yet to arrive.
        self.failing = 0.0
        # Held while the peer is sent the table.
        self.sending = threading.Lock()
        # Whether conntrackd has yet to ask for the peer's connections and to read this machine's own: since it started,
        # or since this daemon did.
        self.due = True

    def ask(self, *words: str) -> Tuple[Optional[int], str]:
        return run(["conntrackd", "-C", CONFIGURATION, *words], ANSWER_SECONDS)

    def commit(self) -> None:
        """Loads the copied connections into the kernel, and waits as long as conntrackd makes progress."""
        pid = pid_of("conntrackd")
        if pid is None:
            self.fail("does not run")
            return
        words = ["conntrackd", "-C", CONFIGURATION, "-c"]
        nothing = subprocess.DEVNULL
        asked = subprocess.Popen(words, stdout=nothing, stderr=nothing)
        moved = time.monotonic()
        ticks = -1
        while asked.poll() is None:
            now = time.monotonic()
            worked = processor_ticks(pid)
            if worked != ticks:
                ticks, moved = worked, now
            stopped = stat_of(pid)[:1] == ["T"]
            if now - moved > (0.1 if stopped else IDLE_SECONDS):
                self.fail("is hung")
                asked.kill()
                asked.wait()
                self.bad = 3
                return
            time.sleep(0.005)

    def interrupt(self) -> bool:
        """Ends a flush by a child of conntrackd, which would forget what is loaded next. True if one was under way."""
        return run(["pkill", "-9", "-P", str(pid_of("conntrackd"))], 2)[0] == 0

    def fail(self, why: str) -> None:
        log(f"sessions not committed: conntrackd {why}")
        # So long that a peer which hands over hears it.
        self.failing = time.monotonic() + SILENT_SECONDS

    def taken(self, carries: Callable[[], bool]) -> None:
        """Runs after the addresses have moved: sends the peer the whole table, and drops closed connections.

        In a thread of its own, as a slow conntrackd or kernel takes half a minute, in which the role may move again.
        """
        with self.sending:
            if not carries():
                return
            self.ask("-f")
            self.ask("-R")
            self.ask("-B")
        # All were committed with an established connection's time-out, for which a closed one would hold its port.
        run(["egress-bench-ha", "renew"], 10)
        for over in ("TIME_WAIT", "CLOSE"):
            run(["conntrack", "-D", "-p", "tcp", "--state", over], 10)

    def ignore_windows(self, value: int) -> None:
        """1 once the peer may have carried: the kernel's TCP windows are then out of date, until `purge`."""
        run(["sysctl", "-qw", f"net.netfilter.nf_conntrack_tcp_be_liberal={value}"], 2)

    def stand_by(self) -> None:
        # The peer's copies from before: it may have missed their ends, and a take-over would commit them.
        with self.sending:
            self.ask("-f", "external")
            self.ask("-n")
        # As many as this machine tracks now are on their way, at least 30,000 a second.
        self.failing = time.monotonic() + int(run(["conntrack", "-C"], 2)[1]) / 3e4

    def purge(self) -> None:
        """Forgets the connections from this machine's active time, whose ports the next commit needs."""
        self.ask("-t")
        self.ask("-n")
        self.ignore_windows(0)

    def keep(self) -> None:
        """Checks that conntrackd runs and answers, and restarts it if it does not; called periodically."""
        pid = pid_of("conntrackd")
        if pid is not None and self.ask("-s")[0] == 0:
            self.bad = 0
            if self.due:
                # A full table takes longer than the timeout: conntrackd reads on.
                self.due = self.ask("-n")[0] != 0 or bool(self.ask("-R")[0])
            self.running = not self.due
            self.count()
            return
        # One that ends as soon as it starts is started again every other time.
        self.bad += 3 if pid is None else 1
        self.running = False
        if self.bad < 3:
            return
        end(pid, 9)  # SIGKILL
        run(["rm", "-f", f"{RUN}/egress-bench-conntrackd.ctl", f"{RUN}/egress-bench-conntrackd.lock"], 2)
        launch("conntrackd", ["conntrackd", "-C", CONFIGURATION])
        self.due = True
        # A slow start takes seconds.
        self.bad = -3

    def count(self) -> None:
        """Counts messages between the machines: those lost, malformed or not sent, and whether any arrive."""
        _, text = self.ask("-s", "network")
        _, queue = self.ask("-s", "link")
        self.errors = sum(int(one or other) for one, other in LOST.findall(f"{text}\n{queue}"))
        arrived = "".join(ARRIVED.findall(queue))
        if arrived != self.arrived:
            self.arrived, self.moved = arrived, time.monotonic()

    def behind(self) -> bool:
        """Whether the peer's conntrackd has long not been heard, a commit failed, or new copies are on their way."""
        now = time.monotonic()
        return now > self.moved + SILENT_SECONDS or now < self.failing


def sessions_of(parameters: Dict[str, Any]) -> Any:
    os.makedirs(PIDS, exist_ok=True)
    # A machine whose pair copies sessions may not have that file.
    return Sessions() if parameters["sessions"] else importlib.import_module("nothing").NoSessions()
