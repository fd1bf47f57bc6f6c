"""Finds the lost host when the other end of a path does not answer: that is no property of the path."""

from __future__ import annotations

from common.errors import AgentError
from daemon.control_port import answers, ask, read_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ASK_SECONDS = 3.0


class HostLost(Exception):
    """A host of the path is gone, so there is no measurement and no result. The next call measures afresh."""


def check_hosts(spec: dict[str, Any]) -> None:
    """Raises HostLost where an observed host does not answer, or the hosts on the path cannot reach the other
    end either.

    Without an observed host on the path (a managed gateway, no machine at all) a lost end and a broken
    path look the same from here.
    """
    other_end = spec["path"]["address"]
    on_the_way = [host for host in spec["observe"] if host["address"] not in ("127.0.0.1", other_end)]
    for host in on_the_way:
        if not answers(host["address"], host["port"], ASK_SECONDS):
            raise HostLost(f"host {host['host']} ({host['address']}) does not answer")
    if on_the_way and not any(reaches(host, spec["path"]) for host in on_the_way):
        names = ", ".join(host["host"] for host in on_the_way)
        name = next((host["host"] for host in spec["observe"] if host["address"] == other_end), other_end)
        raise HostLost(
            f"host {name} ({other_end}) answers neither this host nor {names}: if it runs all the same, start its "
            f"agent with `pulumi up --replace '**::{name}-agent'`"
        )


def reaches(host: dict[str, Any], path: dict[str, Any]) -> bool:
    """Whether a host reaches the path's other end. True where it cannot tell."""
    request = {"op": "reach", "address": path["address"], "port": path["port"]}
    try:
        reply = ask(host["address"], host["port"], request, 2 * ASK_SECONDS, read_secret())
        return reply.get("reached") is not False
    except (OSError, ValueError, AgentError):
        return True
