"""Delays Debian's and Ubuntu's own package runs while hosts measure.

Their timers (apt-daily, apt-daily-upgrade, and with it unattended upgrades) take a lock first and wait an
hour for it. A process that holds the lock delays them, and releases them when it ends, in any way: nothing
has to be re-enabled. After an hour of waiting the run gives up, and systemd's timer starts it again within
a day.
"""

from __future__ import annotations

import os
import threading

from common.background import Background
from host.processes import environment, find_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

# /usr/lib/apt/apt.systemd.daily
LOCK_FILE = "/var/lib/apt/daily_lock"
SYSTEMD = "/run/systemd/system"
# Covers the time between cases, with pauses and repetitions.
GRACE_SECONDS = 900.0
# Longest wait for a package run that has begun.
WAIT_SECONDS = 60


class PackageTimers:
    """Holds the lock from `quiet` on, for the given seconds plus `GRACE_SECONDS`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: subprocess.Popen[bytes] | None = None
        self._cancelled = threading.Event()

    def quiet(self, seconds: float) -> None:
        """Does nothing on a host without such timers, or whose user may not hold them."""
        with self._lock:
            self._cancelled.set()
            if self._holder is None or self._holder.poll() is not None:
                self._holder = with_lock(["cat"])
            self._cancelled = threading.Event()
            Background(self._loud_after, seconds + GRACE_SECONDS, self._cancelled)

    def _loud_after(self, seconds: float, cancelled: threading.Event) -> None:
        if not cancelled.wait(seconds):
            self.loud()

    def loud(self) -> None:
        """Releases the timers."""
        with self._lock:
            self._cancelled.set()
            holder, self._holder = self._holder, None
        if holder is not None and holder.stdin is not None:
            holder.stdin.close()
            # The holder may still wait for the lock; its end is awaited in the background.
            Background(holder.wait)


def wait_for_runs_under_way() -> None:
    """Waits for a package run to end, WAIT_SECONDS at most."""
    import subprocess

    waiting = with_lock(["true"])
    if waiting is not None:
        try:
            waiting.wait(WAIT_SECONDS + 5)
        except subprocess.TimeoutExpired:
            pass


def with_lock(command: list[str]) -> subprocess.Popen[bytes] | None:
    """A command that runs with the lock; `cat` holds it until its standard input ends, such as at this
    process's death.
    """
    import subprocess

    # Tests name another file, so that they never delay this machine's upgrades.
    path = os.environ.get("EGRESS_BENCH_APT_LOCK", LOCK_FILE if os.path.isdir(SYSTEMD) else "")
    directory = os.path.dirname(path)
    if not os.path.isdir(directory) or find_executable("flock") is None:
        return None
    privileged = [] if os.access(directory, os.W_OK) else ["sudo", "-kn"]
    try:
        return subprocess.Popen(
            [*privileged, "flock", "-w", str(WAIT_SECONDS), path, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment("serve"),
        )
    except OSError:  # no sudo
        return None
