"""A runner's part in a rendezvous, which another host's agent holds (daemon/rendezvous.py)."""

from __future__ import annotations

import time

from common.checks import is_number
from common.errors import AgentError, failure, reason
from common.limits import MAX_WAIT_SECONDS, OBSERVE_SECONDS
from common.texts import brief
from daemon.control_port import ask, read_secret
from runner.lost_host import HostLost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def rendezvous_before_sampling(spec: dict[str, Any], failed: dict[str, str] | None) -> dict[str, str] | None:
    """Waits until all members have called, or tells them that this one cannot take part.

    Returns what keeps this one from measuring: `failed`, or the absence of others. Hosts are sampled only
    afterwards, since the wait would count as idle; the start itself is another rendezvous.
    """
    if spec.get("rendezvous") is None:
        return failed
    if failed is not None:
        try:
            call_place(spec, "sampling", failed["message"])
        except (OSError, ValueError, AgentError):  # the others will notice
            pass
        return failed
    return rendezvous_failure(spec, "sampling")[1]


def rendezvous_at_end(spec: dict[str, Any]) -> None:
    """Waits until all members have measured.

    Raises HostLost where one was lost meanwhile: all are measured again.
    """
    if spec.get("rendezvous") is not None:
        rendezvous_failure(spec, "end", end_seconds(spec))


def end_seconds(spec: dict[str, Any]) -> float:
    """Seconds that the others may take.

    A pair whose tool fails at once waits for one that runs into its time-out.
    """
    return min(spec["timeoutSeconds"] + spec["rendezvous"]["waitSeconds"], MAX_WAIT_SECONDS)


def call_place(
    spec: dict[str, Any], step: str, problem: str | None = None, wait: float | None = None
) -> float:
    """Waits for the other members. Returns the time of their release, on this host's monotonic clock."""
    place = spec["rendezvous"]
    wait_seconds = place["waitSeconds"] if wait is None else wait
    request = {
        "op": "rendezvous",
        "id": f"{place['id']} {step}",
        "count": place["count"],
        "member": place["member"],
        "maxSeconds": wait_seconds,
        "problem": problem and brief(problem),
    }
    seconds = wait_seconds + OBSERVE_SECONDS
    reply = ask(place["address"], place["port"], request, seconds, read_secret())
    ago: Any = reply.get("releasedSecondsAgo")
    return time.monotonic() - (float(ago) if is_number(ago, 0, seconds) else 0)


def rendezvous_failure(
    spec: dict[str, Any], step: str, wait: float | None = None
) -> tuple[float | None, dict[str, str] | None]:
    """Time of the members' release, and why this pair is not measured.

    Raises HostLost where a member or the holding agent does not answer: all pairs are measured again.
    """
    place = spec["rendezvous"]
    try:
        return call_place(spec, step, wait=wait), None
    except AgentError as error:
        problem = f"the pairs did not {'end' if step == 'end' else 'start'} together: {error}"
        if not error.final:
            raise HostLost(problem) from None
        return None, failure("not-run", problem)
    except (OSError, ValueError) as error:
        where = f"{place['address']}:{place['port']}"
        raise HostLost(f"no answer from the rendezvous at {where}: {reason(error)}") from None
