"""Programs that the agent starts: finds, marks, asks and ends them."""

from __future__ import annotations

import os
import signal
import time

from host.files import in_dir, read_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

# Marks this agent's processes, so that they, and only they, are found after a crash.
MARK_VARIABLE = "EGRESS_BENCH_MARK"
# Variable with the NAT instances on a tool's path: JSON, a list of `host`, `role`, `address` and `port`.
NAT_HOSTS_VARIABLE = "EGRESS_BENCH_NAT_HOSTS"
# A non-interactive SSH session's PATH often lacks sbin.
SEARCH_PATH = os.pathsep.join(
    dict.fromkeys(
        [
            *filter(None, os.environ.get("PATH", "").split(os.pathsep)),
            *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
        ]
    )
)


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Polls, each time after a tenth of the time waited so far, so that a long wait costs little."""
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        time.sleep(min(max(0.01, waited / 10), 0.25))
    return True


def mark(kind: str) -> str:
    """Mark in the environment of this agent's processes; unique to this directory of this host."""
    path = in_dir("id")
    identity = read_file(path)
    if identity is None:
        identity = os.urandom(16).hex().encode()
        write_file(path, identity)
    return f"{identity.decode()}:{kind}"


def environment(kind: str) -> dict[str, str]:
    """Environment of every program that the agent starts.

    Full search path, no locale-dependent figures or times.
    """
    return {**os.environ, "PATH": SEARCH_PATH, "LC_ALL": "C", "TZ": "UTC", MARK_VARIABLE: mark(kind)}


def kill_marked(kind: str) -> int:
    """Kills the processes left by a dead agent; returns their number."""
    return kill_marked_where(lambda found: found == kind)


def kill_marked_where(is_wanted: Callable[[str], bool]) -> int:
    """Kills this agent's processes of the wanted kinds; returns their number."""
    prefix = f"{MARK_VARIABLE}={mark('')}".encode()

    def is_marked(pid: int) -> bool:
        kinds = [entry[len(prefix) :] for entry in process_environment(pid) if entry.startswith(prefix)]
        return any(is_wanted(kind.decode("utf-8", "replace")) for kind in kinds)

    killed = 0
    for _ in range(5):  # one may fork during the search
        found = [pid for pid in process_ids() if pid != os.getpid() and is_marked(pid)]
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        if not found:
            break
        wait_until(lambda found=found: not any(is_marked(pid) for pid in found), 1)
    return killed


def process_ids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def process_environment(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return []


def find_executable(name: str) -> str | None:
    for directory in SEARCH_PATH.split(os.pathsep):
        path = os.path.join(directory, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def output_of(argv: Sequence[str], seconds: float = 5) -> str | None:
    """Output of a program; None where it is missing or does not end."""
    import subprocess

    try:
        return run_bounded(argv, seconds, "prepare")[1]
    except (OSError, subprocess.TimeoutExpired):
        return None


def run_bounded(argv: Sequence[str], seconds: float, kind: str) -> tuple[int, str]:
    """A program's exit status and output. Raises OSError and subprocess.TimeoutExpired."""
    import subprocess

    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(kind),
        timeout=seconds,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def signal_group(group: int, number: int) -> bool:
    """Signals a process group. False where none of its processes is left."""
    try:
        os.killpg(group, number)
        return True
    except (ProcessLookupError, PermissionError):
        return False
