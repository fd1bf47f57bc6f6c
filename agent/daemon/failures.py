"""Failures of this host that a plan provokes: the kinds that a `fail` request may name, and nothing else.

`prepare` names the kinds; without it, and on hosts that are no NAT instance, there are none. A request
carries a kind and a number, never a command.
"""

from __future__ import annotations

import os

from common.checks import is_number
from common.contract import CONTRACT
from common.errors import AgentError
from common.texts import brief
from daemon.log import log
from host.processes import environment, find_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS: list[str] = CONTRACT["failures"]
MAX_DOWN_SECONDS: int = CONTRACT["options"]["failover"]["down-seconds"]["max"]

# This machine's role in a pair: `active` (verified), `taking`, `leaving` or `standby`; no file without a
# pair.
ROLE_FILE = "/run/egress-bench-ha"
# The pair's program: `drain` hands over to the other machine.
HA_PROGRAM = "/usr/local/sbin/egress-bench-ha"
# The lab host's power switch: `kill`, `stop` or `reboot`, and seconds until it is up again.
POWER_PROGRAM = "/usr/local/sbin/egress-bench-power"

# By then the answer to the request has been sent.
DELAY_SECONDS = 0.2

# Drops everything in both directions, including a pair's signs of life, ARP and known flows, ahead of all
# other rules. Kernels before 5.16 have no egress hook; there it drops what the host itself sends.
BLACKHOLE = """
trap 'nft delete table netdev egress_bench_blackhole; nft delete table inet egress_bench_blackhole' EXIT
links=$(ip -o link show up | sed -n 's/^[0-9]*: \\([^:@]*\\).*/\\1/p' | grep -vx lo)
chains() {
  for link in $links; do
    echo "table netdev egress_bench_blackhole {
      chain $1_$link { type filter hook $1 device \\"$link\\" priority -500; policy drop; }
    }"
  done
}
chains egress | nft -f - || nft -f - <<'END'
table inet egress_bench_blackhole { chain output { type filter hook output priority -500; oif != lo drop; } }
END
chains ingress | nft -f -
sleep "$1"
"""

# Stops the machine at once, and boots it. A unit from its preparation then starts the daemon.
ON_A_MACHINE = {
    "kill": "sync; echo 1 > /proc/sys/kernel/sysrq; echo b > /proc/sysrq-trigger; sleep 60",
    "reboot": "systemctl reboot; sleep 600",
    "stop": "systemctl poweroff; sleep 600",
}


def script_of(kind: str) -> str | None:
    """Shell command that provokes a failure on this host, as root; None where it cannot be provoked."""
    if kind == "blackhole":
        return BLACKHOLE if find_executable("nft") else None
    if kind == "drain":
        return f"{HA_PROGRAM} drain" if os.path.exists(HA_PROGRAM) else None
    if os.path.exists(POWER_PROGRAM):
        return f'exec {POWER_PROGRAM} {kind} "$1"'
    return ON_A_MACHINE[kind] if os.path.isdir("/run/systemd/system") else None


class Failures:
    """Provokes failures, one at a time."""

    def __init__(self, kinds: list[str]) -> None:
        import threading

        self._allowed = kinds
        self._process: Any = None
        self._lock = threading.Lock()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] == "failure-state":
            return self.state()
        log(f"asked to fail: {brief(request.get('kind'))}")
        return self.provoke(request)

    def state(self) -> dict[str, Any]:
        """`active`.

        This host forwards. `ready`: it forwards, or would at once. `underWay`: a provoked failure is not
        over.
        """
        role = role_of()
        under_way = self._process is not None and self._process.poll() is None
        return {
            "kinds": [kind for kind in self._allowed if script_of(kind) is not None],
            "active": role in (None, "active"),
            "ready": not under_way and role in (None, "active", "standby"),
            "underWay": under_way,
        }

    def provoke(self, request: dict[str, Any]) -> dict[str, Any]:
        kind: Any = request.get("kind")
        seconds: Any = request.get("downSeconds")
        if kind not in self._allowed:
            known = ", ".join(self._allowed) or "none: this host was not prepared for failures"
            raise AgentError(f"fail: expected a kind of {known}")
        if not is_number(seconds, 0, MAX_DOWN_SECONDS):
            raise AgentError(f"fail: expected downSeconds, 0 to {MAX_DOWN_SECONDS}")
        script = script_of(kind)
        if script is None:
            raise AgentError(f"fail: this host cannot {kind}")
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise AgentError("fail: a failure is under way already")
            self._process = start(script, seconds)
        return {"delaySeconds": DELAY_SECONDS}


def role_of() -> str | None:
    """A pair's role, empty while out of service; None on a single machine."""
    if not os.path.exists(HA_PROGRAM):
        return None
    try:
        with open(ROLE_FILE, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def start(script: str, seconds: float) -> Any:
    """Starts a script as root, in a session of its own, so that it outlives the daemon."""
    import subprocess

    words = ["/bin/sh", "-c", f"sleep {DELAY_SECONDS}\n{script}", "failure", f"{seconds:g}"]
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    return subprocess.Popen(
        [*as_root, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment("failure"),
        start_new_session=True,
    )
