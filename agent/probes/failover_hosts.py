"""The NAT instances on a path, for the failover probe.

Which one is active, make it fail, wait until it is ready again.
"""

from __future__ import annotations

import json
import os
import threading
import time

from common.errors import AgentError, reason
from common.limits import READY_SECONDS
from daemon.control_port import ask
from host.processes import NAT_HOSTS_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ASK_SECONDS = 1.0
POLL_SECONDS = 0.1


class NothingToFail(Exception):
    """No host on the path can have the failure: a result, not an error."""


class NatHosts:
    def __init__(self, secret: bytes, hosts: list[dict[str, Any]] | None = None) -> None:
        self._secret = secret
        self._hosts = json.loads(os.environ.get(NAT_HOSTS_VARIABLE, "[]")) if hosts is None else hosts
        # Set by the thread that provokes the failure, on the monotonic clock.
        self.failed_host: str | None = None
        self.provoked_at: float | None = None
        self.ready_at: float | None = None
        self.problem: str | None = None

    def choose(self, kind: str) -> None:
        """Waits until all are ready, and chooses the active one. Raises NothingToFail or AgentError."""
        if not self._hosts:
            raise NothingToFail("there is no NAT instance on this path: a service of the cloud translates")
        states = self._wait_until_ready()
        chosen = next((host for host, state in states if state["active"]), None)
        if chosen is None:
            raise AgentError("none of the path's NAT instances is active")
        if kind not in next(state["kinds"] for host, state in states if host is chosen):
            raise NothingToFail(f"{chosen['host']} has no way to {kind}")
        self._chosen = chosen
        self.failed_host = chosen["host"]

    def provoke(self, kind: str, down_seconds: float, until: float) -> threading.Thread:
        """Provokes the failure in a thread, so that the probe keeps its schedule; the thread then polls until
        all are ready, or the time is over.
        """
        thread = threading.Thread(target=self._provoke, args=(kind, down_seconds, until), daemon=True)
        thread.start()
        return thread

    def _provoke(self, kind: str, down_seconds: float, until: float) -> None:
        try:
            request = {"op": "fail", "kind": kind, "downSeconds": down_seconds}
            reply = self._ask(self._chosen, request)
        except (OSError, ValueError, AgentError) as error:
            self.problem = f"{self._chosen['host']} did not take the request to fail: {reason(error)}"
            return
        self.provoked_at = time.monotonic() + float(reply.get("delaySeconds", 0))
        time.sleep(max(0.0, self.provoked_at - time.monotonic()) + POLL_SECONDS)
        while time.monotonic() < until:
            states = [self._state(host) for host in self._hosts]
            if all(state is not None and state["ready"] for state in states):
                self.ready_at = time.monotonic()
                return
            time.sleep(POLL_SECONDS)

    def _wait_until_ready(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            states = [(host, self._state(host)) for host in self._hosts]
            known = [(host, state) for host, state in states if state is not None and state["ready"]]
            if len(known) == len(states) and any(state["active"] for _, state in known):
                return known
            if time.monotonic() > deadline:
                missing = ", ".join(
                    host["host"] for host, state in states if state is None or not state["ready"]
                )
                raise AgentError(
                    f"not ready to fail after {READY_SECONDS:g} s: {missing or 'no NAT instance is active'}"
                )
            time.sleep(POLL_SECONDS)

    def _state(self, host: dict[str, Any]) -> dict[str, Any] | None:
        try:
            state = self._ask(host, {"op": "failure-state"})
        except (OSError, ValueError, AgentError):
            return None
        fits = isinstance(state.get("kinds"), list) and all(key in state for key in ("active", "ready"))
        return state if fits else None

    def _ask(self, host: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
        return ask(host["address"], host["port"], request, ASK_SECONDS, self._secret)
