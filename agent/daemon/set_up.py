"""Restores a NAT instance's set-up before each case, where something else has changed rules or kernel
settings.
"""

from __future__ import annotations

import os

from common.errors import AgentError
from common.texts import brief, last
from host.locks import is_locked
from host.netlink import rules_generation
from host.proc_files import read_text
from host.processes import output_of, run_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The set-up script (components/nat-instance/), and its log with one line per repair.
PROGRAM = "/usr/local/sbin/egress-bench-nat-instance"
DRIFTS_FILE = "/run/egress-bench-nat-drifts"

# Kernel settings and rules as the script left them (drift.ts), and the lock that it holds while it works.
IN_FORCE_FILE = "/run/egress-bench-nat-in-force"
LOCK_FILE = "/run/egress-bench-nat.lock"

# Less than the time that a caller waits for an answer.
SECONDS = 8.0


def mend() -> dict[str, Any]:
    """Whether the set-up had to check for a drift. Raises AgentError where it fails."""
    import subprocess

    if not os.path.exists(PROGRAM) or is_as_left():
        return {"looked": False}
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    try:
        status, said = run_bounded([*as_root, "/bin/sh", PROGRAM, "if-drifted"], SECONDS, "mend")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentError(f"set-up not checked: {brief(error)}") from None
    if status != 0:
        # The reason comes last, after what had changed.
        raise AgentError(f"set-up not restored: {last(said.strip(), 300)}")
    return {"looked": True}


# Generation of the rules that were confirmed to be the set-up's, by the set-up's text.
confirmed: dict[str, int] = {}


def is_as_left() -> bool:
    """Whether everything is as the set-up left it. Cheap before each case: it runs no script, and no program
    unless a rule has changed since the last look.

    False where it cannot tell: another user than root, iptables, a set-up under way.
    """
    try:
        with open(IN_FORCE_FILE, encoding="utf-8") as file:
            left = file.read()
        if is_locked(LOCK_FILE):
            return False
    except OSError:
        return False
    settings, begin, rules = left.partition("table ")
    return all(is_in_force(line) for line in settings.splitlines()) and are_in_force(left, begin + rules)


def are_in_force(left: str, rules: str) -> bool:
    """Whether the table has the rules that the set-up left."""
    generation = rules_generation()
    if generation is not None and confirmed.get(left) == generation:
        return True
    words = rules.partition(" {")[0].split()
    is_so = len(words) == 3 and output_of(["nft", "-s", "list", *words], SECONDS) == rules
    confirmed.clear()
    if is_so and generation is not None:
        confirmed[left] = generation
    return is_so


def is_in_force(line: str) -> bool:
    """Whether a kernel setting has the value of a line of sysctl's."""
    key, _, value = line.partition(" = ")
    return read_text("/proc/sys/" + key.replace(".", "/")) == value + "\n"


def drifts() -> int:
    """Number of restorations since the host booted."""
    return len((read_text(DRIFTS_FILE) or "").splitlines())
