"""Copies of connections, made by conntrackd: every call to it has a timeout, and it is restarted when it hangs."""

import importlib
import os
import re
import signal
import socket
import subprocess
import threading
import time
from typing import Any, Dict

from timeouts import renew

from run import PIDS, RUN, end, launch, log, pid_of, processor_ticks, read, run, stat_of, succeeds

CONFIGURATION = "/etc/egress-bench/conntrackd.conf"
# A standby's copies go to its kernel at once. On a machine that carries, what a peer says late would end its flows.
MIRROR = "/etc/egress-bench/conntrackd-mirror.conf"
SETTINGS = "/proc/sys/net/netfilter/nf_conntrack_"
TCP, UDP = socket.IPPROTO_TCP, socket.IPPROTO_UDP
# RFC 4787 (REQ-5): a UDP flow that was taken over is dropped after this time without a packet.
UDP_SECONDS = 120
ANSWER_SECONDS = 2
# The commit of a large table keeps conntrackd busy for seconds; a hung conntrackd uses no CPU.
IDLE_SECONDS = 1.0
CREATED = re.compile(r"connections created:\s*(\d+)")
LOST = re.compile(r"(?:Packets lost|Malformed messages):\s*(\d+)|(\d+) Error (?:send|recv)")

EVERY = float("inf")
LOG = f"{RUN}/egress-bench-conntrackd.log"
MOST_LOG_BYTES = 1 << 20


def setting(name: str) -> int:
    return int(read(SETTINGS + name))


def interval() -> int:
    """Shorter than any copy's time-out; by the component's settings 40 s, in which a full table arrives."""
    names = ("tcp_timeout_established", "udp_timeout_stream", "udp_timeout")
    return min(setting(name) for name in names) // 3


class Sessions:
    def __init__(self) -> None:
        self.running = False
        self.errors = 0
        self.bad = 0
        self.starting = threading.Lock()
        self.renewed = 0.0
        self.turning = False
        # Whether the kernel may still have what was stale when this machine began to mirror.
        self.stale = False
        self.copies = -1
        self.mirror = MIRROR in read(f"/proc/{pid_of('conntrackd')}/cmdline")

    def ask(self, *words: str, seconds: float = ANSWER_SECONDS) -> bool:
        return succeeds(["conntrackd", "-C", CONFIGURATION, *words], seconds)

    def commit(self) -> None:
        """Has the copied connections in the kernel. Waits as long as conntrackd makes progress."""
        self.turning = False
        if self.mirror:
            return
        pid = pid_of("conntrackd")
        if pid is None:
            log("sessions not committed: conntrackd does not run")
            return
        words = ["conntrackd", "-C", CONFIGURATION, "-c"]
        asked = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        moved = time.monotonic()
        ticks = -1
        while asked.poll() is None:
            now = time.monotonic()
            worked = processor_ticks(pid)
            if worked != ticks:
                ticks, moved = worked, now
            stopped = stat_of(pid)[:1] == ["T"]
            if now - moved > (0.1 if stopped else IDLE_SECONDS):
                log("sessions not committed: conntrackd is hung")
                asked.kill()
                asked.wait()
                self.bad = 3
                return
            time.sleep(0.005)

    def taken(self) -> None:
        """Runs after the addresses have moved: sends the peer the whole table, and drops closed connections."""
        if not self.mirror or self.stale:
            renew(TCP, EVERY, setting("tcp_timeout_established"))
        if self.mirror:
            self.start(False)
        else:
            self.ask("-f")
            self.ask("-R")
        self.ask("-B")
        renew(UDP, EVERY, UDP_SECONDS)
        # All have an established connection's time-out, for which a closed one would hold its port.
        for over in ("TIME_WAIT", "CLOSE"):
            run(["conntrack", "-D", "-p", "tcp", "--state", over], 10)

    def stand_by(self) -> None:
        if not self.mirror:
            self.ask("-n")

    def purge(self) -> None:
        """Mirrors the peer's connections. Those of this machine's active time that the peer has not end soon."""
        self.turning = not self.mirror
        self.running = self.running and self.mirror

    def turn(self) -> None:
        """What `purge` orders. A large table takes seconds, for which a take-over must not wait."""
        self.turning = False
        self.start(True)
        self.stale, self.copies = True, -1
        self.ask("-n")

    def clear(self) -> None:
        """Ends what was not copied anew, once no copies arrive, and asks again for what it blocked."""
        self.stale = False
        for protocol in (TCP, UDP):
            renew(protocol, interval() + 1, None)
        self.ask("-n")

    def renew(self) -> None:
        """No packet renews a copy's time-out: the peer says when its connection is over."""
        self.renewed = time.monotonic()
        for protocol, name in ((TCP, "tcp_timeout_established"), (UDP, "udp_timeout_stream")):
            renew(protocol, setting(name) / 2, setting(name))

    def keep(self) -> None:
        """Checks that conntrackd runs and answers, and restarts it if it does not; called periodically."""
        if self.turning:
            self.turn()
        before = self.copies
        # A line for each copy that finds no room.
        if os.path.exists(LOG) and os.stat(LOG).st_size > MOST_LOG_BYTES:
            os.truncate(LOG, 0)
        with self.starting:
            self.look()
        if self.mirror and self.stale and self.copies == before > 0:
            self.clear()
        elif self.mirror and not self.stale and time.monotonic() > self.renewed + interval():
            self.renew()

    def look(self) -> None:
        pid = pid_of("conntrackd")
        status, text = (
            (None, "") if pid is None else run(["conntrackd", "-C", CONFIGURATION, "-s"], ANSWER_SECONDS)
        )
        if status == 0:
            self.bad = 0
            self.running = True
            self.errors = self.count_errors()
            self.copies = sum(map(int, CREATED.findall(text)))
            return
        self.bad = 3 if pid is None else self.bad + 1
        self.running = False
        if self.bad >= 3:
            self.restart(self.mirror)
            # Reads this machine's connections, and asks the peer for its own.
            self.ask("-R")
            self.ask("-n")

    def count_errors(self) -> int:
        """Counts messages between the machines that were lost, malformed or could not be sent."""
        _, text = run(["conntrackd", "-C", CONFIGURATION, "-s", "network"], ANSWER_SECONDS)
        _, queue = run(["conntrackd", "-C", CONFIGURATION, "-s", "link"], ANSWER_SECONDS)
        return sum(int(one or other) for one, other in LOST.findall(f"{text}\n{queue}"))

    def start(self, mirror: bool) -> None:
        with self.starting:
            self.restart(mirror)

    def restart(self, mirror: bool) -> None:
        end(pid_of("conntrackd"), signal.SIGKILL)
        if mirror and not self.mirror:
            for protocol in (TCP, UDP):
                renew(protocol, EVERY, interval())
        self.mirror = mirror
        self.stale = False
        control = f"{RUN}/egress-bench-conntrackd.ctl"
        run(["rm", "-f", control, f"{RUN}/egress-bench-conntrackd.lock"], 2)
        launch("conntrackd", ["conntrackd", "-C", MIRROR if mirror else CONFIGURATION])
        for _ in range(300):
            if os.path.exists(control):
                break
            time.sleep(0.01)
        self.bad = 0
        self.running = pid_of("conntrackd") is not None


def sessions_of(parameters: Dict[str, Any]) -> Any:
    os.makedirs(PIDS, exist_ok=True)
    # A machine whose pair copies sessions may not have that file.
    return Sessions() if parameters["sessions"] else importlib.import_module("nothing").NoSessions()
