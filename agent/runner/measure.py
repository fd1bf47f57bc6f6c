"""What the runner does: one measurement, from its path's proof to its report."""

from __future__ import annotations

import time

from common.documents import PROTOCOL_VERSION
from common.errors import failure
from common.limits import MAX_STDERR_BYTES
from common.texts import last
from daemon.lifecycle import revive_daemon
from host.files import read_ends
from runner.attempts import run_attempts
from runner.barrier import gather
from runner.observe import observe_stop
from runner.path_proof import probe_path
from runner.reducing import reduce_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
