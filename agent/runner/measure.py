"""One measurement, from its path's proof to its report."""

from __future__ import annotations

import os
import re
import time

from common.background import Background
from common.contract import CONTRACT
from common.documents import PROTOCOL_VERSION
from common.errors import failure
from common.limits import MAX_STDERR_BYTES, OBSERVE_SECONDS, RETRY_TEXT_BYTES
from common.texts import last
from daemon.lifecycle import revive_daemon
from host.files import read_ends
from runner.attempts import renew_services, run_attempts
from runner.lost_host import check_hosts
from runner.observe import ask_all, observe_stop
from runner.path_proof import data_mismatch, data_sources, probe_path
from runner.reducing import reduce_output
from runner.rendezvous import rendezvous_at_end, rendezvous_before_sampling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNECTION_LOST = re.compile(CONTRACT["connectionLost"], re.IGNORECASE)


def measure(spec: dict[str, Any], directory: str) -> dict[str, Any]:
    """Waits, proves the path, samples the hosts, runs the tool, proves the path again; returns the report.

    Raises HostLost where a host of the path is gone.
    """
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
        "expectedSourceIps": spec["path"]["expected"],
        "hosts": [],
        "rawFile": None,
        "startedAfterMs": None,
        "dataSources": None,
    }
    revive_daemon()
    report["sourceIp"], report["failure"] = mend_and_prove(spec)
    report["failure"] = rendezvous_before_sampling(spec, report["failure"])
    if report["failure"] is not None:
        return report
    problems, raw_file, error_file = run_attempts(spec, directory, report)
    if report["timedOut"] or lost_connection(raw_file, error_file):
        renew_services(spec)
    report["hosts"], peers, changed = observe_stop(spec, problems)
    report.update(changed)
    report["dataSources"] = data_sources(peers)
    if report["failure"] is not None:
        return report
    report["rawFile"] = raw_file
    report["stderr"] = last(read_ends(error_file, MAX_STDERR_BYTES), MAX_STDERR_BYTES)
    report["stdout"], problem = reduce_output(raw_file, spec["reducer"])
    after = prove_path(spec)[1]
    report["failure"] = failure_of(spec, report, problem)
    # A lost or wrong path explains all other failures on it, such as a tool that never ended.
    if after is not None:
        problem = f"the path was proved before the case, but not after it: {after['message']}"
        report["failure"] = failure(after["class"], problem)
    report["failure"] = data_mismatch(spec["path"], report["dataSources"]) or report["failure"]
    rendezvous_at_end(spec)
    return report


def prove_path(spec: dict[str, Any]) -> tuple[str | None, dict[str, str] | None]:
    """The source address that the other end sees, and the problem with it."""
    source, failed = probe_path(spec["path"])
    if source is None:
        check_hosts(spec)
    return source, failed


def mend_and_prove(spec: dict[str, Any]) -> tuple[str | None, dict[str, str] | None]:
    """Makes the NAT instances on the path restore foreign changes; a failure shows in the proof.

    Proves the path meanwhile, and again if one of them may have changed something.
    """
    nat = [host for host in spec["observe"] if host["role"] == "nat"]
    if not nat:
        return prove_path(spec)
    asked: list[tuple[dict[str, Any] | None, str | None]] = []
    mending = Background(lambda: asked.extend(ask_all(nat, {"op": "mend"})))
    source, failed = probe_path(spec["path"])
    mending.join(OBSERVE_SECONDS + 2)
    for _, problem in asked:
        if problem is not None:
            os.write(2, f"{problem}\n".encode("utf-8", "replace"))
    if any(reply != {"looked": False} for reply, _ in asked):
        return prove_path(spec)
    if source is None:
        check_hosts(spec)
    return source, failed


def lost_connection(raw_file: str, error_file: str) -> bool:
    """Whether the tool lost a connection to the other end, which may continue the test and refuse others."""
    files = [file for file in (raw_file, error_file) if os.path.exists(file)]
    return any(CONNECTION_LOST.search(read_ends(file, RETRY_TEXT_BYTES)) for file in files)


def failure_of(spec: dict[str, Any], report: dict[str, Any], problem: str | None) -> dict[str, str] | None:
    """A failure that the agent itself knows; the tool's parser finds all others."""
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
