#!/usr/bin/env python3
"""egress-bench host agent: the one program that runs on the hosts of a benchmark.

  prepare   check the tools, start the daemon, report facts about the host
  run       measure once: re-attachable, proves the path, samples the hosts, reduces the output
  connect   the TCP-connect prober, a tool like iperf3
  stop      end the daemon and everything the agent started
  serve     the daemon itself, started by prepare
  sink      accepts and closes connections, started by the daemon of a server

`agent.py <sub-command> --help` tells the rest; protocol.ts beside this file is the JSON contract.
Needs Python 3.8 and nothing else. What is slow to import is imported where it is used: `run` and the
interpreter's start are paid for by every case.
"""

from __future__ import annotations

import fcntl
import os
import re
import signal
import sys
import time

from agent_files import AGENT_DIR, in_dir, last_words, read_ends, read_file, write_file
from allowances import are_allowances
from checks import is_number, is_text
from connect import connect
from control_port import ask, read_secret
from cpu_usage import MEAN_KINDS, SERIES_KINDS, is_cpu_usage
from daemon_process import revive_daemon, stop_daemon
from documents import PROTOCOL_VERSION, print_document, read_stdin
from errors import AgentError, BadInput, failure, reason
from limits import (
    KEPT_RUNS,
    KILL_AFTER_SECONDS,
    MAX_RAW_BYTES,
    MAX_STDERR_BYTES,
    MAX_WINDOW_SECONDS,
    OBSERVE_SECONDS,
    RETRY_TEXT_BYTES,
    RUN_MARGIN_SECONDS,
)
from locks import is_locked, open_lock, try_lock
from prepare import prepare
from processes import environment, kill_marked, signal_group
from reducing import fit, reduce_output
from serve import serve
from sink import sink
from specs import check_run
from texts import brief, encode, iso_now, last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# --- Constants ---------------------------------------------------------------------------------------------


PATH_TRIES = 3
PATH_TRY_SECONDS = 2.0
PATH_PAUSE_SECONDS = 0.5


# What lies beside this file imports from it: the program that runs, not a second copy with errors of its own.
sys.modules.setdefault("agent", sys.modules[__name__])


# --- run: one measurement ----------------------------------------------------------------------------------
#
# runs/<key>/lock is held by the process that measures, the runner, for as long as it lives; report.json is
# there once it has finished. Everybody else waits on the lock, so that losing a waiter costs nothing.


def run() -> None:
    """usage: agent.py run < spec.json

    Measures once and prints the report. A second call for the same key, also while the first is under way,
    prints the same report. Exit status 0 also where the measurement failed: that is a result. Exit status 1
    where the runner was killed: the next call measures afresh.
    """
    spec = check_run(read_stdin())
    read_secret()
    directory = in_dir("runs", spec["key"])
    os.makedirs(directory, mode=0o700, exist_ok=True)
    report = os.path.join(directory, "report.json")
    lock = open_lock(os.path.join(directory, "lock"))
    if try_lock(lock):
        if not os.path.exists(report):
            clear_remains(directory, spec["key"])
            if os.fork() == 0:
                be_runner(spec, directory)  # inherits the lock; does not return
    os.close(lock)
    wait_for_runner(directory, run_budget(spec))
    content = read_file(report)
    if content is None:
        kill_marked(f"run:{spec['key']}")
        words = last_words(os.path.join(directory, "runner.log"))
        raise AgentError(
            f"the runner of {spec['key']} was ended before it had a report: call again to measure afresh"
            + (f" ({words})" if words else "")
        )
    sys.stdout.buffer.write(content + b"\n")


def run_budget(spec: dict[str, Any]) -> float:
    """Seconds after which a run must be over, whatever happens."""
    retry = spec["retry"]
    attempt = spec["timeoutSeconds"] + 2 * KILL_AFTER_SECONDS + OBSERVE_SECONDS + retry["delaySeconds"]
    waits = 2 * (spec["rendezvous"]["waitSeconds"] + OBSERVE_SECONDS) if spec.get("rendezvous") else 0
    return spec["pauseSeconds"] + retry["attempts"] * attempt + waits + RUN_MARGIN_SECONDS


def wait_for_runner(directory: str, seconds: float) -> None:
    """Blocks until nobody measures in this directory."""

    def give_up(*_: Any) -> NoReturn:
        raise AgentError(
            f"the runner in {directory} is still busy after {seconds:g} s, longer than it may be"
        )

    lock = open_lock(os.path.join(directory, "lock"))
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    fcntl.flock(lock, fcntl.LOCK_SH)
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.close(lock)


def clear_remains(directory: str, key: str) -> None:
    """Removes what a killed runner left: its tool, still loading the path, and half-written files."""
    names = [name for name in os.listdir(directory) if name != "lock"]
    if names:
        kill_marked(f"run:{key}")
    for name in names:
        os.unlink(os.path.join(directory, name))


def be_runner(spec: dict[str, Any], directory: str) -> NoReturn:
    """The detached process that measures: in a session of its own, nothing open that SSH would wait for."""
    status = 1
    try:
        os.setsid()
        os.chdir(os.path.dirname(AGENT_DIR))
        null = os.open(os.devnull, os.O_RDWR)
        words = os.open(os.path.join(directory, "runner.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for standard, fd in ((0, null), (1, null), (2, words)):
            os.dup2(fd, standard)
        write_file(os.path.join(directory, "runner.pid"), str(os.getpid()).encode())
        write_file(os.path.join(directory, "spec.json"), encode(spec))
        report = fit(measure(spec, directory))
        write_file(os.path.join(directory, "report.json"), report)
        status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        prune_runs()
        os._exit(status)


def prune_runs() -> None:
    """Keeps the newest runs only, or the raw output of years would fill the disk."""
    try:
        runs = [in_dir("runs", name) for name in os.listdir(in_dir("runs"))]
        for directory in sorted(runs, key=os.path.getmtime)[:-KEPT_RUNS]:
            if not is_locked(os.path.join(directory, "lock")):
                for name in os.listdir(directory):
                    os.unlink(os.path.join(directory, name))
                os.rmdir(directory)
    except OSError:  # another runner was faster
        pass


def measure(spec: dict[str, Any], directory: str) -> dict[str, Any]:
    """Waits, proves the path, samples the hosts, runs the tool; returns the report."""
    time.sleep(spec["pauseSeconds"])
    report: dict[str, Any] = {
        "version": PROTOCOL_VERSION,
        "key": spec["key"],
        "failure": None,
        "attempts": [],
        "exitCode": None,
        "timedOut": False,
        "stdout": "",
        "stderr": "",
        "sourceIp": None,
        "hosts": [],
        "rawFile": None,
        "startedAfterMs": None,
    }
    revive_daemon()
    report["sourceIp"], report["failure"] = probe_path(spec["path"])
    report["failure"] = gather(spec, report["failure"])
    if report["failure"] is not None:
        return report
    problems, raw_file, error_file = run_attempts(spec, directory, report)
    report["hosts"] = observe_stop(spec, problems)
    if report["failure"] is not None:
        return report
    report["rawFile"] = raw_file
    report["stderr"] = last(read_ends(error_file, MAX_STDERR_BYTES), MAX_STDERR_BYTES)
    report["stdout"], problem = reduce_output(raw_file, spec["reducer"])
    report["failure"] = failure_of(spec, report, problem)
    return report


def failure_of(spec: dict[str, Any], report: dict[str, Any], problem: str | None) -> dict[str, str] | None:
    """What the agent itself knows to be wrong; everything else is for the tool's parser."""
    if report["timedOut"]:
        return failure(
            "timeout", f"the tool was still running after {spec['timeoutSeconds']:g} s and was ended"
        )
    command_not_found = 127
    if report["exitCode"] == command_not_found:
        return failure(
            "tool-missing",
            f"the host cannot run the tool: {report['stderr'].strip() or 'command not found'}",
        )
    return failure("bad-output", problem) if problem is not None else None


def probe_path(path: dict[str, Any]) -> tuple[str | None, dict[str, str] | None]:
    """The source address that the server sees, and what is wrong with it."""
    server = f"{path['address']}:{path['port']}"
    problem = ""
    for attempt in range(PATH_TRIES):
        if attempt > 0:
            time.sleep(PATH_PAUSE_SECONDS)
        try:
            source: Any = ask(path["address"], path["port"], {"op": "whoami"}, PATH_TRY_SECONDS).get(
                "sourceIp"
            )
            if not is_text(source) or len(source) > 64:
                raise ValueError("an answer without a source address: no egress-bench agent")
            return source, path_mismatch(path, source, server)
        except (OSError, ValueError, AgentError) as error:
            problem = reason(error)
    return None, failure(
        "no-route", f"no answer from the server's agent at {server} in {PATH_TRIES} tries: {problem}"
    )


def path_mismatch(path: dict[str, Any], source: str, server: str) -> dict[str, str] | None:
    expected = ", ".join(path["expected"])
    if path["expected"] and source not in path["expected"]:
        return failure(
            "path-mismatch",
            f"the server at {server} saw {source}, expected {expected}: the traffic goes another way",
        )
    if source in path["forbidden"]:
        return failure(
            "path-mismatch",
            f"the server at {server} saw {source}, which proves another path than the one to be measured",
        )
    return None


def gather(spec: dict[str, Any], failed: dict[str, str] | None) -> dict[str, str] | None:
    """Waits until all members of a rendezvous are there, or tells them that this one cannot take part.

    Returns what keeps this one from measuring: `failed`, or that the others did not come. Hosts are sampled only
    after it, or the wait would count as idle; the start itself is another rendezvous.
    """
    if spec.get("rendezvous") is None:
        return failed
    if failed is not None:
        try:
            meet(spec, "gather", failed["message"])
        except (OSError, ValueError, AgentError):  # they will find out
            pass
        return failed
    return meeting_failure(spec, "gather")[1]


def meet(spec: dict[str, Any], step: str, problem: str | None = None) -> float:
    """Waits for the other members. Returns when they were released, on the monotonic clock of this host."""
    place = spec["rendezvous"]
    request = {
        "op": "rendezvous",
        "id": f"{place['id']} {step}",
        "count": place["count"],
        "member": place["member"],
        "maxSeconds": place["waitSeconds"],
        "problem": problem and brief(problem),
    }
    seconds = place["waitSeconds"] + OBSERVE_SECONDS
    reply = ask(place["address"], place["port"], request, seconds, read_secret())
    ago = reply.get("releasedSecondsAgo")
    return time.monotonic() - (ago if is_number(ago, 0, seconds) else 0)


def meeting_failure(spec: dict[str, Any], step: str) -> tuple[float | None, dict[str, str] | None]:
    """When the members were released, and why they were not."""
    place = spec["rendezvous"]
    try:
        return meet(spec, step), None
    except AgentError as error:
        return None, failure("host-lost", f"the pairs did not start together: {error}")
    except (OSError, ValueError) as error:
        where = f"{place['address']}:{place['port']}"
        return None, failure("host-lost", f"no answer from the rendezvous at {where}: {reason(error)}")


def run_attempts(
    spec: dict[str, Any], directory: str, report: dict[str, Any]
) -> tuple[list[str | None], str, str]:
    """Runs the tool until its output gives no reason to retry; records every attempt.

    Returns why a host is not sampled (None where it is), and the last attempt's output files. The hosts'
    windows start with each attempt, or the pauses between would count as idle.
    """
    retry = spec["retry"]
    for attempt in range(1, retry["attempts"] + 1):
        raw_file = os.path.join(directory, f"stdout-{attempt}")
        error_file = os.path.join(directory, f"stderr-{attempt}")
        problems = observe_start(spec)
        released = None
        if spec.get("rendezvous") is not None:
            released, report["failure"] = meeting_failure(spec, "start")
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
        if attempt < retry["attempts"]:
            time.sleep(retry["delaySeconds"])
    return problems, raw_file, error_file


def run_tool(spec: dict[str, Any], raw_file: str, error_file: str) -> tuple[int, bool, float]:
    """The tool's exit status (128 + signal, as a shell tells it), whether it outlasted its time, and when it
    started on the monotonic clock."""
    import resource

    # SIGCHLD stays blocked, so that waiting for it with a time-out cannot miss it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_RAW_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    create = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    pid = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", spec["command"]],
        environment(f"run:{spec['key']}"),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, raw_file, create, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, error_file, create, 0o600),
        ],
        setpgroup=0,
        setsigmask=[],
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM],
    )
    spawned = time.monotonic()
    timed_out = not wait_for_child(pid, spec["timeoutSeconds"])
    if timed_out:
        signal_group(pid, signal.SIGTERM)
        wait_for_child(pid, KILL_AFTER_SECONDS)
    # Until its leader is reaped the group's number cannot be another's.
    signal_group(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    return exit_code, timed_out, spawned


def wait_for_child(pid: int, seconds: float) -> bool:
    """Whether the child has ended within the time; it is left to be reaped."""
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = deadline - time.monotonic()
        if left <= 0 or signal.sigtimedwait([signal.SIGCHLD], left) is None and time.monotonic() >= deadline:
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


# --- Sampling of the hosts, as the runner asks for it ------------------------------------------------------


def observe_start(spec: dict[str, Any]) -> list[str | None]:
    """Opens a window on every host; returns why one has none, None where it has."""
    request = {
        "op": "observe-start",
        "id": spec["key"],
        "maxSeconds": min(spec["timeoutSeconds"] + RUN_MARGIN_SECONDS, MAX_WINDOW_SECONDS),
    }
    return [problem for _, problem in ask_all(spec["observe"], request)]


def observe_stop(spec: dict[str, Any], problems: list[str | None]) -> list[dict[str, Any]]:
    """Closes the windows; every host is in the report, null in it what could not be sampled."""
    import cpu_time
    from network_usage import checked_usage

    sampled = [host for host, problem in zip(spec["observe"], problems) if problem is None]
    answers = iter(ask_all(sampled, {"op": "observe-stop", "id": spec["key"]}))
    usages = []
    for host, problem in zip(spec["observe"], problems):
        cpu, reply = None, None
        if problem is None:
            reply, problem = next(answers)
            cpu = reply.get("cpu") if reply is not None else None
            if is_cpu_usage(cpu):
                cpu = {
                    **{kind: cpu[kind] for kind in MEAN_KINDS},
                    "series": [{key: entry[key] for key in ("at", *SERIES_KINDS)} for entry in cpu["series"]],
                }
            else:
                cpu, problem = (
                    None,
                    problem or brief((reply or {}).get("problem") or "an answer without CPU figures"),
                )
        usage = {
            "host": host["host"],
            "role": host["role"],
            "cpu": cpu,
            "network": checked_usage((reply or {}).get("network")),
            "problem": problem,
        }
        exceeded, times = (reply or {}).get("allowances"), cpu_time.checked((reply or {}).get("cpuTime"))
        if times is not None:
            usage["cpuTime"] = times
        if are_allowances(exceeded):
            usage["allowances"] = exceeded
        usages.append(usage)
    return usages


def ask_all(
    hosts: list[dict[str, Any]], request: dict[str, Any]
) -> list[tuple[dict[str, Any] | None, str | None]]:
    """Asks all hosts at once: a reply or a problem each."""
    import threading

    secret = read_secret()
    outcomes: list[Any] = [(None, "no answer")] * len(hosts)

    def ask_one(index: int, host: dict[str, Any]) -> None:
        try:
            outcomes[index] = (ask(host["address"], host["port"], request, OBSERVE_SECONDS, secret), None)
        except (OSError, ValueError, AgentError) as error:
            problem = f"agent of {host['host']} at {host['address']}:{host['port']}: {reason(error)}"
            outcomes[index] = (None, brief(problem))

    threads = [threading.Thread(target=ask_one, args=item, daemon=True) for item in enumerate(hosts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


# --- stop, main --------------------------------------------------------------------------------------------


def stop() -> None:
    """usage: agent.py stop

    Ends the daemon, measurements under way and everything they started. Reads no stdin.
    """
    stopped = False
    runs = in_dir("runs")
    for key in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
        pid = read_file(os.path.join(runs, key, "runner.pid"))
        if pid is not None and is_locked(os.path.join(runs, key, "lock")):
            os.kill(int(pid), signal.SIGKILL)
            kill_marked(f"run:{key}")
            stopped = True
    stopped = stop_daemon() or stopped
    print_document({"version": PROTOCOL_VERSION, "stopped": stopped})


def main() -> int:
    os.umask(0o077)
    plain = {"prepare": prepare, "run": run, "stop": stop, "serve": serve}
    with_options = {"connect": connect, "sink": sink}
    name, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    command = plain.get(name) or with_options.get(name)
    if command is None:
        if name in ("--help", "-h"):
            print(__doc__)
            return 0
        known = ", ".join([*plain, *with_options])
        print(f"agent.py: expected a sub-command ({known}), got {name or 'nothing'}", file=sys.stderr)
        return 2
    if arguments and arguments[0] in ("--help", "-h"):
        print(re.sub(r"^ {4}", "", command.__doc__ or "", flags=re.MULTILINE).rstrip())
        return 0
    try:
        if name in plain and arguments:
            raise BadInput(f"{arguments[0]}: expected no argument")
        command(arguments) if name in with_options else plain[name]()
        sys.stdout.flush()
        return 0
    except (BadInput, AgentError) as error:
        print(f"agent.py {name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
    except OSError as error:
        print(f"agent.py {name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
