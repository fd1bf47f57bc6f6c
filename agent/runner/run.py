"""run: one measurement, re-attachable.

runs/<key>/lock is held by the process that measures, the runner, for as long as it lives; report.json is
there once it has finished. Everybody else waits on the lock, so that losing a waiter costs nothing.
"""

from __future__ import annotations

import fcntl
import os
import signal

from common.documents import print_kept, read_stdin
from common.errors import NO_MEMORY, AgentError
from common.limits import KEPT_RUNS, KILL_AFTER_SECONDS, OBSERVE_SECONDS, RUN_MARGIN_SECONDS
from common.texts import encode
from daemon.control_port import read_secret
from daemon.specs import check_run
from host.files import AGENT_DIR, in_dir, last_words, read_file, read_json, write_file
from host.locks import is_locked, open_lock, try_lock
from host.processes import kill_marked
from host.runs_under_way import end_other_runs, end_runner
from runner.lost_host import HostLost
from runner.measure import measure
from runner.reducing import fit
from runner.rendezvous import end_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


# File with the reason why there is no report, where a host is lost.
LOST_FILE = "lost"
# The advice for a lost host.
AGAIN = "the next `pulumi up` measures this case again"
NO_MEMORY_LINE = f"{NO_MEMORY}\n".encode()
NO_PROCESS = "this host cannot start another process: raise its limit of processes"


def run() -> None:
    """usage: agent.py run < spec.json

    Measures once and prints the report, packed (packing.py) unless stdout is a terminal.
    A second call for the same key, also while the first is under way,
    prints the same report, unless `hosts` is another text than then. Exit status 0 also where the measurement
    failed: that is a result. Exit status 1 where the runner was killed or a host of the path is lost: the next
    call measures afresh. Measurements of an earlier run that are still under way are ended: one tool runs at a
    time.
    """
    spec = check_run(read_stdin())
    read_secret()
    directory = in_dir("runs", spec["key"])
    os.makedirs(directory, mode=0o700, exist_ok=True)
    report = os.path.join(directory, "report.json")
    lock = open_lock(os.path.join(directory, "lock"))
    if try_lock(lock) and (not os.path.exists(report) or is_outdated(directory, spec)):
        clear_remains(directory)
        write_file(os.path.join(directory, "spec.json"), encode(spec))
        end_other_runs(spec)
        try:
            child = os.fork()
        except BlockingIOError:
            raise AgentError(NO_PROCESS) from None
        if child == 0:
            be_runner(spec, directory)  # inherits the lock; does not return
    os.close(lock)
    hung = wait_for_runner(directory, run_budget(spec))
    content = read_file(report)
    if content is None:
        lost = read_file(os.path.join(directory, LOST_FILE))
        if lost is not None:
            raise AgentError(f"{lost.decode('utf-8', 'replace')}; {AGAIN}")
        kill_marked(f"run:{spec['key']}")
        words = hung or last_words(os.path.join(directory, "runner.log")) or full_disk(directory)
        raise AgentError(
            f"the runner of {spec['key']} was ended before it had a report; {AGAIN}"
            + (f" ({words})" if words else "")
        )
    print_kept(content)


def full_disk(directory: str) -> str:
    """A reason for a runner that could not record one."""
    return f"no space left on this host's disk, {directory}" if os.statvfs(directory).f_bavail == 0 else ""


def is_outdated(directory: str, spec: dict[str, Any]) -> bool:
    """Whether the report's hosts have changed since. A report without recorded hosts counts as current."""
    file = os.path.join(directory, "spec.json")
    stored = read_json(file) or {}
    hosts = spec.get("hosts")
    if hosts is not None and stored.get("hosts") is None:
        write_file(file, encode({**stored, "hosts": hosts}))
        return False
    return hosts is not None and stored["hosts"] != hosts


def run_budget(spec: dict[str, Any]) -> float:
    """Seconds after which a run must be over in any case."""
    retry = spec["retry"]
    attempt = spec["timeoutSeconds"] + 2 * KILL_AFTER_SECONDS + OBSERVE_SECONDS + retry["delaySeconds"]
    place = spec.get("rendezvous")
    waits = 2 * (place["waitSeconds"] + OBSERVE_SECONDS) + end_seconds(spec) if place else 0
    return spec["pauseSeconds"] + retry["attempts"] * attempt + waits + RUN_MARGIN_SECONDS


def wait_for_runner(directory: str, seconds: float) -> str:
    """Blocks until no runner measures in this directory.

    Ends a runner that outlasts its time, and returns why; else empty.
    """

    def give_up(*_: Any) -> NoReturn:
        raise TimeoutError

    lock = open_lock(os.path.join(directory, "lock"))
    signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        fcntl.flock(lock, fcntl.LOCK_SH)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return ""
    except TimeoutError:
        end_runner(directory)
        return f"it was still busy after {seconds:g} s, longer than it may be"
    finally:
        os.close(lock)


def clear_remains(directory: str) -> None:
    """Removes the remains of a killed runner: its tool, which still loads the path, and half-written files."""
    names = [name for name in os.listdir(directory) if name != "lock"]
    if names:
        kill_marked(f"run:{os.path.basename(directory)}")
    for name in names:
        os.unlink(os.path.join(directory, name))


def be_runner(spec: dict[str, Any], directory: str) -> NoReturn:
    """The detached process that measures, in a session of its own, without open files that SSH would wait
    for.
    """
    status = 1
    try:
        os.setsid()
        os.chdir(os.path.dirname(AGENT_DIR))
        null = os.open(os.devnull, os.O_RDWR)
        words = os.open(os.path.join(directory, "runner.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for standard, fd in ((0, null), (1, null), (2, words)):
            os.dup2(fd, standard)
        write_file(os.path.join(directory, "runner.pid"), str(os.getpid()).encode())
        report = fit(measure(spec, directory))
        write_file(os.path.join(directory, "report.json"), report)
        status = 0
    except HostLost as error:
        write_file(os.path.join(directory, LOST_FILE), f"host lost: {error}".encode())
    except BaseException as error:  # noqa: BLE001  the caller reads the reason in the log
        os.write(2, NO_MEMORY_LINE if isinstance(error, MemoryError) else words_of(error))
    finally:
        # Each of these may fail without memory, and a continuing runner would hold the lock.
        try:
            prune_runs()
        finally:
            os._exit(status)


def words_of(error: BaseException) -> bytes:
    words = NO_PROCESS if isinstance(error, BlockingIOError) else f"{type(error).__name__}: {error}"
    return f"{words}\n".encode("utf-8", "replace")


def prune_runs() -> None:
    """Keeps only the newest runs, since years of raw output would fill the disk."""
    try:
        runs = [in_dir("runs", name) for name in os.listdir(in_dir("runs"))]
        for directory in sorted(runs, key=os.path.getmtime)[:-KEPT_RUNS]:
            if not is_locked(os.path.join(directory, "lock")):
                for name in os.listdir(directory):
                    os.unlink(os.path.join(directory, name))
                os.rmdir(directory)
    except OSError:  # another runner removed it first
        pass
