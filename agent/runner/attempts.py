"""A tool's attempts: started, retried, ended at its time-out."""

from __future__ import annotations

import os
import re
import signal
import time

from common.errors import AgentError, reason
from common.limits import KEEP_ALIVE_SECONDS, KILL_AFTER_SECONDS, MAX_RAW_BYTES, RETRY_TEXT_BYTES
from common.texts import encode, iso_now
from daemon.control_port import ask, read_secret
from host.files import read_ends
from host.keep_alive import keep_alive
from host.processes import NAT_HOSTS_VARIABLE, environment, signal_group
from runner.observe import observe_start
from runner.rendezvous import rendezvous_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RENEW_SECONDS = 10.0


def run_attempts(
    spec: dict[str, Any], directory: str, report: dict[str, Any]
) -> tuple[list[str | None], str, str]:
    """Runs the tool until its output gives no reason to retry; records every attempt.

    Returns why a host is not sampled (None where it is), and the last attempt's output files. The hosts'
    windows start with each attempt, or the pauses between would count as idle.
    """
    retry = spec["retry"]
    problems, raw_file, error_file = [], "", ""
    for attempt in range(1, retry["attempts"] + 1):
        raw_file = os.path.join(directory, f"stdout-{attempt}")
        error_file = os.path.join(directory, f"stderr-{attempt}")
        if spec.get("renew"):
            renew_services(spec, spec["renew"])
        problems = observe_start(spec)
        released = None
        if spec.get("rendezvous") is not None:
            released, report["failure"] = rendezvous_failure(spec, "start")
            if report["failure"] is not None:
                break
        started = iso_now()
        exit_code, timed_out, spawned = run_tool(spec, raw_file, error_file)
        if released is not None:
            report["startedAfterMs"] = round((spawned - released) * 1000, 1)
        report["attempts"].append(
            {"startedAt": started, "finishedAt": iso_now(), "exitCode": exit_code, "timedOut": timed_out}
        )
        report["exitCode"], report["timedOut"] = exit_code, timed_out
        text = read_ends(raw_file, RETRY_TEXT_BYTES) + "\n" + read_ends(error_file, RETRY_TEXT_BYTES)
        if timed_out or not any(re.search(pattern, text) for pattern in retry["patterns"]):
            break
        if attempt == retry["attempts"] - 1:
            renew_services(spec)  # a server may still serve a client that is gone
        if attempt < retry["attempts"]:
            time.sleep(retry["delaySeconds"])
    return problems, raw_file, error_file


def renew_services(spec: dict[str, Any], ports: list[int] | None = None) -> None:
    """Restarts the tools' servers at the other end, all or those on some ports: a stuck one still listens, and
    fails the next test.
    """
    path = spec["path"]
    request = {"op": "renew-services", **({} if ports is None else {"ports": ports})}
    try:
        ask(path["address"], path["port"], request, RENEW_SECONDS, read_secret())
    except (OSError, ValueError, AgentError) as error:
        os.write(2, f"servers not restarted: {reason(error)}\n".encode("utf-8", "replace"))


def run_tool(spec: dict[str, Any], raw_file: str, error_file: str) -> tuple[int, bool, float]:
    """Runs the tool once.

    Returns its exit status (128 + signal, as in a shell), whether it outlasted its time, and its start on
    the monotonic clock.
    """
    import resource

    # SIGCHLD stays blocked, so that waiting for it with a time-out cannot miss it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_RAW_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    create = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    pid = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", spec["command"]],
        {**environment(f"run:{spec['key']}"), NAT_HOSTS_VARIABLE: nat_hosts(spec)},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, raw_file, create, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, error_file, create, 0o600),
        ],
        setpgroup=0,
        setsigmask=[],
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM],
    )
    spawned = time.monotonic()
    timed_out = not wait_while_kept_alive(pid, spec["timeoutSeconds"])
    if timed_out:
        signal_group(pid, signal.SIGTERM)
        wait_for_child(pid, KILL_AFTER_SECONDS)
    # Until its leader is reaped, the group's number cannot be reused.
    signal_group(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    return exit_code, timed_out, spawned


def wait_while_kept_alive(pid: int, seconds: float) -> bool:
    """Whether the child has ended within the time. Keeps its silent connections alive, including late ones."""
    begin = time.monotonic()
    # Shorter runs cannot be silent for so long. A load under a probe starts seconds after the tool.
    for look in (KEEP_ALIVE_SECONDS / 2, KEEP_ALIVE_SECONDS, 2 * KEEP_ALIVE_SECONDS):
        if look >= seconds:
            break
        if wait_for_child(pid, begin + look - time.monotonic()):
            return True
        keep_alive(pid, KEEP_ALIVE_SECONDS)
    return wait_for_child(pid, begin + seconds - time.monotonic())


def nat_hosts(spec: dict[str, Any]) -> str:
    """Agents of the NAT instances on the path, for a tool that makes one of them fail."""
    return encode([host for host in spec["observe"] if host["role"] == "nat"]).decode()


def wait_for_child(pid: int, seconds: float) -> bool:
    """Whether the child has ended within the time; it stays to be reaped."""
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = deadline - time.monotonic()
        if left <= 0 or (
            signal.sigtimedwait([signal.SIGCHLD], left) is None and time.monotonic() >= deadline
        ):
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True
