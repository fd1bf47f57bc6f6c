"""One trial's figures from iperf3's document."""

from __future__ import annotations

from common.checks import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TrialProblem(Exception):
    """Why a trial has no figures."""


def problem_of(document: dict[str, Any] | None, words: str) -> str | None:
    """Why a document has no figures, None where it has; 3.9 tells some reasons on stderr only."""
    import re

    error = (document or {}).get("error")
    if error:
        return str(error)
    if document is not None and isinstance(document.get("end"), dict) and document["end"].get("streams"):
        return None
    return re.findall(r"iperf3: (?:error - )?(?!error - no error|no error)(.+)", words)[0]


def number(section: Any, name: str) -> float | None:
    """A figure; None where iperf3 does not know: absent, NaN, -1."""
    value = section.get(name) if isinstance(section, dict) else None
    return value if is_number(value, 0, 2**63) else None


def udp_figures(document: dict[str, Any], lost_between_hosts: int | None) -> dict[str, Any]:
    """Loss is what the receiver counted; where more is missing, what the hosts' kernels count decides how much of that
    was lost. Raises TrialProblem where they do not tell: no rate is without loss by a guess.
    """
    end = document["end"]
    sent = end.get("sum_sent") or end.get("sum")
    received = end.get("sum_received")  # none up to 3.10
    rate, packets = number(sent, "bits_per_second"), number(sent, "packets")
    lost = number(received or end.get("sum"), "lost_packets")
    if not rate or not packets or lost is None:
        raise TrialProblem("iperf3's document does not tell what was sent and lost")
    missing = missing_of(document, packets)
    if missing > lost:
        if lost_between_hosts is None:
            raise TrialProblem(
                f"{missing - lost:g} of {packets:g} datagrams neither arrived nor were counted as lost, and the hosts"
                " do not tell what became of them"
            )
        lost = max(lost, min(missing, lost_between_hosts))
    lost = min(lost, packets)
    arrived = number(received, "bits_per_second")
    return {
        "sentBitsPerSecond": round(rate),
        "receivedBitsPerSecond": round(rate * (1 - lost / packets) if arrived is None else arrived),
        "packets": packets,
        "lostPackets": lost,
        "lostPercent": 100 * lost / packets,  # not rounded: one datagram of a billion is a loss
    }


def missing_of(document: dict[str, Any], packets: float) -> float:
    """Datagrams that the sender sent and the receiver did not read; 0 where it does not tell."""
    test = (document.get("start") or {}).get("test_start")
    size, arrived = number(test, "blksize"), number(document["end"].get("sum_received"), "bytes")
    return max(0, packets - round(arrived / size)) if size and arrived is not None else 0


def tcp_figures(document: dict[str, Any]) -> dict[str, Any]:
    sent = number(document["end"].get("sum_sent"), "bits_per_second")
    received = number(document["end"].get("sum_received"), "bits_per_second")
    if not received:
        raise TrialProblem("nothing arrived")
    return {
        "sentBitsPerSecond": None if sent is None else round(sent),
        "receivedBitsPerSecond": round(received),
    }
