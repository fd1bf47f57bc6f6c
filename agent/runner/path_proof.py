"""Which way the traffic goes: the source address that the server's agent sees."""

from __future__ import annotations

import time

from common.checks import is_text
from common.errors import AgentError, failure, reason
from daemon.control_port import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATH_TRIES = 3
PATH_TRY_SECONDS = 2.0
PATH_PAUSE_SECONDS = 0.5


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
