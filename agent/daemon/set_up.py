"""A NAT instance's own set-up, put back before each case where something else has changed rules or kernel settings."""

from __future__ import annotations

import os

from common.errors import AgentError
from common.texts import brief, last
from host.proc_files import read_text
from host.processes import run_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The set-up script (components/nat-instance/), and its log with one line per repair.
PROGRAM = "/usr/local/sbin/egress-bench-nat-instance"
DRIFTS_FILE = "/run/egress-bench-nat-drifts"

# Less than a caller waits for an answer.
SECONDS = 8.0


def mend() -> dict[str, Any]:
    """Nothing on a host that is no NAT instance of ours. Raises AgentError where the set-up fails."""
    import subprocess

    if not os.path.exists(PROGRAM):
        return {"ok": True}
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    try:
        status, said = run_bounded([*as_root, "/bin/sh", PROGRAM, "if-drifted"], SECONDS, "mend")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentError(f"set-up not looked after: {brief(error)}") from None
    if status != 0:
        # The reason comes last, after what had changed.
        raise AgentError(f"set-up not put back: {last(said.strip(), 300)}")
    return {"ok": True}


def drifts() -> int:
    """How often something was put back since the host booted."""
    return len((read_text(DRIFTS_FILE) or "").splitlines())
