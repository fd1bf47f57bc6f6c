"""Sampling of the hosts, as the runner asks their agents for it."""

from __future__ import annotations

from common.errors import AgentError, reason
from common.limits import MAX_WINDOW_SECONDS, OBSERVE_SECONDS, RUN_MARGIN_SECONDS
from common.texts import brief
from daemon.control_port import ask, read_secret
from sampling.allowances import are_allowances
from sampling.cpu_usage import MEAN_KINDS, SERIES_KINDS, is_cpu_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def observe_start(spec: dict[str, Any]) -> list[str | None]:
    """Opens a window on every host; returns why one has none, None where it has."""
    request = {
        "op": "observe-start",
        "id": spec["key"],
        "maxSeconds": min(spec["timeoutSeconds"] + RUN_MARGIN_SECONDS, MAX_WINDOW_SECONDS),
    }
    return [problem for _, problem in ask_all(spec["observe"], request)]


def observe_stop(spec: dict[str, Any], problems: list[str | None]) -> list[dict[str, Any]]:
    """Closes the windows; every host is in the report, null in it what could not be sampled."""
    from sampling import cpu_time
    from sampling.network_usage import checked_usage

    sampled = [host for host, problem in zip(spec["observe"], problems) if problem is None]
    answers = iter(ask_all(sampled, {"op": "observe-stop", "id": spec["key"]}))
    usages: list[dict[str, Any]] = []
    for host, unsampled in zip(spec["observe"], problems):
        reply, problem = next(answers) if unsampled is None else (None, unsampled)
        cpu = known_cpu((reply or {}).get("cpu"))
        if cpu is None and problem is None:
            problem = brief((reply or {}).get("problem") or "an answer without CPU figures")
        usage = {
            "host": host["host"],
            "role": host["role"],
            "cpu": cpu,
            "network": checked_usage((reply or {}).get("network")),
            "problem": problem,
        }
        exceeded, times = (reply or {}).get("allowances"), cpu_time.checked((reply or {}).get("cpuTime"))
        if times is not None:
            usage["cpuTime"] = times
        if are_allowances(exceeded):
            usage["allowances"] = exceeded
        usages.append(usage)
    return usages


def known_cpu(cpu: Any) -> dict[str, Any] | None:
    """CPU figures of another host without what is not asked for; None for anything else."""
    if not is_cpu_usage(cpu):
        return None
    return {
        **{kind: cpu[kind] for kind in MEAN_KINDS},
        "series": [{key: entry[key] for key in ("at", *SERIES_KINDS)} for entry in cpu["series"]],
    }


def ask_all(
    hosts: list[dict[str, Any]], request: dict[str, Any]
) -> list[tuple[dict[str, Any] | None, str | None]]:
    """Asks all hosts at once: a reply or a problem each."""
    import threading

    secret = read_secret()
    outcomes: list[Any] = [(None, "no answer")] * len(hosts)

    def ask_one(index: int, host: dict[str, Any]) -> None:
        try:
            outcomes[index] = (ask(host["address"], host["port"], request, OBSERVE_SECONDS, secret), None)
        except (OSError, ValueError, AgentError) as error:
            problem = f"agent of {host['host']} at {host['address']}:{host['port']}: {reason(error)}"
            outcomes[index] = (None, brief(problem))

    threads = [threading.Thread(target=ask_one, args=item, daemon=True) for item in enumerate(hosts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
