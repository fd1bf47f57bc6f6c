"""Sampling of the hosts, as the runner requests it from their agents."""

from __future__ import annotations

import os
import time

from common.background import Background
from common.checks import is_passable, is_port, is_text
from common.documents import NO_WINDOW
from common.errors import AgentError, reason
from common.limits import MAX_PEERS, MAX_WINDOW_SECONDS, OBSERVE_SECONDS, RUN_MARGIN_SECONDS
from common.texts import brief
from daemon.control_port import ask, local_address, read_secret
from host.files import in_dir, read_json
from runner.lost_host import HostLost
from runner.reducing import thinners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runner.reducing import Thinner

MAX_ADDRESS_LENGTH = 64
# Most bytes of a host's facts, of its figures beside the two series, and of one entry of a series.
MAX_FACTS_BYTES = 8 * 1024
MAX_FIGURES_BYTES = 32 * 1024
MAX_ENTRY_BYTES = 1024
# Reasons to take a host's facts again.
CHANGES = ("rebooted", "setUpAgain")
# Seconds for a daemon to start on a slow machine.
RESTART_SECONDS = 3.0


def observe_start(spec: dict[str, Any]) -> list[str | None]:
    """Opens a window on every host; returns each one's problem, None where it has a window."""
    request = {
        "op": "observe-start",
        "id": spec["key"],
        "maxSeconds": min(spec["timeoutSeconds"] + RUN_MARGIN_SECONDS, MAX_WINDOW_SECONDS),
    }
    return [problem for _, problem in ask_all(spec["observe"], request)]


def observe_stop(
    spec: dict[str, Any], problems: list[str | None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Closes the windows; every host is in the report, with null for anything that could not be sampled.

    Also returns the peers of the path's other end on the test's ports, and facts of hosts that have booted
    or repeated their set-up since they were prepared, by which of the two. Raises HostLost where the other
    end's agent restarted meanwhile, because its tools' servers did too.
    """
    sampled = [host for host, problem in zip(spec["observe"], problems) if problem is None]
    answers = iter(ask_all(sampled, {"op": "observe-stop", "id": spec["key"]}, RESTART_SECONDS))
    usages: list[dict[str, Any]] = []
    peers: list[dict[str, Any]] = []
    changed: dict[str, list[dict[str, Any]]] = {why: [] for why in CHANGES}
    for host, unsampled in zip(spec["observe"], problems):
        answer, problem = next(answers) if unsampled is None else (None, unsampled)
        reply = answer or {}
        if NO_WINDOW in (problem or "") and host["address"] == spec["path"]["address"]:
            raise HostLost(f"the agent of {host['host']} was restarted during the case")
        if host["address"] == spec["path"]["address"]:
            peers += known_peers(reply.get("peers"))
        for why, known in changed.items():
            facts = reply.get(why)
            if isinstance(facts, dict) and is_passable(facts, MAX_FACTS_BYTES):
                known.append({**facts, "host": host["host"], "role": host["role"]})
        figures, refused = passed_on(reply)
        usages.append(
            {
                "cpu": None,
                "network": None,
                **figures,
                "host": host["host"],
                "role": host["role"],
                "problem": problem or refused,
            }
        )
    return usages, peers, changed


def passed_on(reply: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """A host's figures for the report, and why it has no CPU figures.

    The reader of the report checks the figures. This only keeps a host from displacing the others'
    figures: by size, by depth, or by a series that cannot be made coarser.
    """
    figures = {key: value for key, value in reply.items() if key not in ("peers", "problem", *CHANGES)}
    if not is_passable({key: without_series(value) for key, value in figures.items()}, MAX_FIGURES_BYTES):
        return {}, f"figures that are no JSON, or have more than {MAX_FIGURES_BYTES} bytes"
    for part, thinner in thinners().items():
        if part in figures and not has_series(figures[part], thinner):
            figures[part] = None
    if figures.get("cpu") is not None:
        return figures, None
    return figures, brief(reply.get("problem") or "an answer without CPU figures")


def has_series(part: Any, thinner: Thinner) -> bool:
    """Whether a series can be made coarser by any factor.

    Its entries have one shape, and their figures add up.
    """
    try:
        series = part["series"]
        thinner(series, len(series))
        return len({frozenset(entry) for entry in series}) <= 1 and all(
            is_passable(entry, MAX_ENTRY_BYTES) for entry in series
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return False


def without_series(part: Any) -> Any:
    return {**part, "series": []} if isinstance(part, dict) else part


def known_peers(peers: Any) -> list[dict[str, Any]]:
    """Another host's peers that consist of an address and a port."""
    return [
        {"protocol": peer["protocol"], "address": peer["address"], "port": peer["port"]}
        for peer in (peers if isinstance(peers, list) else [])[:MAX_PEERS]
        if isinstance(peer, dict)
        and peer.get("protocol") in ("tcp", "udp")
        and is_text(peer.get("address"))
        and len(peer["address"]) <= MAX_ADDRESS_LENGTH
        and is_port(peer.get("port"))
    ]


def ask_patiently(
    host: dict[str, Any], request: dict[str, Any], secret: bytes, seconds: float
) -> dict[str, Any]:
    """A reply. Retries a refusing port for a while, since a killed daemon is being restarted."""
    deadline = time.monotonic() + seconds
    address = local_address() if is_own(host) and os.path.exists(local_address()) else host["address"]
    while True:
        try:
            return ask(address, host["port"], request, OBSERVE_SECONDS, secret)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def is_own(host: dict[str, Any]) -> bool:
    """Whether a host is the runner's own; its loopback interface then carries none of the runner's packets."""
    own = (read_json(in_dir("config.json")) or {}).get("port")
    return host["address"] == "127.0.0.1" and host["port"] == own


def ask_all(
    hosts: list[dict[str, Any]], request: dict[str, Any], patience: float = 0
) -> list[tuple[dict[str, Any] | None, str | None]]:
    """Asks all hosts at once: a reply or a problem each."""
    secret = read_secret()
    outcomes: list[Any] = [(None, "no answer")] * len(hosts)

    def ask_one(index: int, host: dict[str, Any]) -> None:
        try:
            outcomes[index] = (ask_patiently(host, request, secret, patience), None)
        except (OSError, ValueError, AgentError) as error:
            problem = f"agent of {host['host']} at {host['address']}:{host['port']}: {reason(error)}"
            outcomes[index] = (None, brief(problem))

    threads = [Background(ask_one, *item) for item in enumerate(hosts)]
    deadline = time.monotonic() + patience + OBSERVE_SECONDS + 1
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    return outcomes
