"""Ends leftovers of an interrupted run on this host.

Only one tool runs at a time, or they would measure each other.
"""

from __future__ import annotations

import fcntl
import os
import signal

from host.files import in_dir, read_file, read_json
from host.locks import is_locked, open_lock
from host.processes import kill_marked_where, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MARK = "run:"


def end_other_runs(spec: dict[str, Any]) -> None:
    """Ends measurements under way, except the other pairs of this one, and tools of dead runners.

    Tools are found by their environment, which children in sessions of their own have too.
    """
    together = measurement_of(spec)
    lock = open_lock(in_dir("runs.lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        kept = {spec["key"]}
        for key, directory in runs_under_way():
            if key not in kept:
                if (
                    measurement_of(read_json(os.path.join(directory, "spec.json")) or {"key": key})
                    == together
                ):
                    kept.add(key)
                else:
                    end_runner(directory)
        kill_marked_where(lambda kind: kind.startswith(MARK) and kind[len(MARK) :] not in kept)
    finally:
        os.close(lock)


def end_all_runs() -> bool:
    """Ends every measurement under way. False if there was none."""
    found = [directory for _, directory in runs_under_way()]
    for directory in found:
        end_runner(directory)
    return kill_marked_where(lambda kind: kind.startswith(MARK)) > 0 or found != []


def measurement_of(spec: dict[str, Any]) -> str:
    """The case whose pairs may run side by side."""
    return str((spec.get("rendezvous") or {}).get("id") or spec.get("key"))


def runs_under_way() -> Iterator[tuple[str, str]]:
    """Key and directory of every measurement with a live runner."""
    runs = in_dir("runs")
    for key in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
        if is_locked(os.path.join(runs, key, "lock")):
            yield key, os.path.join(runs, key)


def end_runner(directory: str) -> None:
    """Kills a runner and waits for its end. It holds its lock, so its file has its own process id."""
    lock, pid_file = os.path.join(directory, "lock"), os.path.join(directory, "runner.pid")
    # It writes the file right after its start.
    wait_until(lambda: os.path.exists(pid_file) or not is_locked(lock), 1)
    pid = read_file(pid_file)
    if pid is not None and is_locked(lock):
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
        wait_until(lambda: not is_locked(lock), 1)
