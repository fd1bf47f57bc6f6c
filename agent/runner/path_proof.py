"""Proof of the traffic's path, by the source address that the server's agent sees."""

from __future__ import annotations

import time

from common.errors import AgentError, failure, reason
from daemon.control_port import seen_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATH_TRIES = 3
PATH_TRY_SECONDS = 2.0
PATH_PAUSE_SECONDS = 0.5
# Most ports listed per source.
MAX_PORTS = 16


def probe_path(path: dict[str, Any]) -> tuple[str | None, dict[str, str] | None]:
    """The source address that the server sees, and the problem with it."""
    server = f"{path['address']}:{path['port']}"
    problem = ""
    for attempt in range(PATH_TRIES):
        if attempt > 0:
            time.sleep(PATH_PAUSE_SECONDS)
        try:
            source = seen_source(path["address"], path["port"], PATH_TRY_SECONDS)
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


def data_sources(peers: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Peers of the other end by protocol and address; None where there are none."""
    by_source: dict[tuple[str, str], list[int]] = {}
    for peer in peers:
        by_source.setdefault((peer["protocol"], peer["address"]), []).append(peer["port"])
    return [
        {
            "protocol": protocol,
            "address": address,
            "connections": len(ports),
            "ports": sorted(ports)[:MAX_PORTS],
        }
        for (protocol, address), ports in sorted(by_source.items())
    ] or None


def data_mismatch(path: dict[str, Any], sources: list[dict[str, Any]] | None) -> dict[str, str] | None:
    """The failure for data from a wrong source. A NAT may give each protocol and each flow another address."""
    for source in sources or []:
        expected = path["expected"]
        if (expected and source["address"] not in expected) or source["address"] in path["forbidden"]:
            wanted = f"expected {', '.join(expected)}" if expected else "which is another path's"
            return failure(
                "path-mismatch",
                f"the server at {path['address']} saw the test's own {source['protocol'].upper()} come from"
                f" {source['address']} (port {source['ports'][0]}), {wanted}: the data goes another way than the"
                " connection that proved the path",
            )
    return None
