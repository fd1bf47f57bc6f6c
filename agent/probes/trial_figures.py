"""One trial's figures, read from the places in the tool's document that the contract names."""

from __future__ import annotations

import re

from common.checks import is_number
from common.contract import CONTRACT
from common.json_reducer import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRIAL = CONTRACT["trial"]


class TrialProblem(Exception):
    """Why a trial has no figures."""


def value_of(document: Any, name: str) -> Any:
    """The value at the first place whose section exists; None where no section does."""
    for place in TRIAL["figures"][name]:
        *section, key = place.split(".")
        found = value_at(document, section)
        if found:
            return value_at(found, [key])
    return None


def problem_of(document: dict[str, Any] | None, words: str) -> str | None:
    """Why a document has no figures; None where it has. Some versions give the reason on stderr only."""
    error = value_of(document, "error")
    if error:
        return str(error)
    if value_of(document, "streams"):
        return None
    return re.findall(TRIAL["problem"], words)[0]


def number(document: dict[str, Any], name: str) -> float | None:
    """A figure; None where the tool has none: absent, NaN, -1."""
    value = value_of(document, name)
    return value if is_number(value, 0, 2**63) else None


def udp_figures(document: dict[str, Any], lost_between_hosts: int | None) -> dict[str, Any]:
    """Figures of a UDP trial.

    Loss is the receiver's count. If more is missing, the hosts' kernel counters decide how much of that
    was lost. Raises TrialProblem where they cannot: no rate is called lossless by a guess.
    """
    rate, packets, lost = (number(document, name) for name in ("sentBitsPerSecond", "packets", "lostPackets"))
    if not rate or not packets or lost is None:
        raise TrialProblem("the tool's document does not tell what was sent and lost")
    own = receivers_count(document)
    if own is not None:
        return loss_of(
            document, packets, rate, packets * share_behind_warm_up(own, document, lost_between_hosts)
        )
    missing = missing_of(document, packets)
    if missing > lost:
        if lost_between_hosts is None:
            raise TrialProblem(
                f"{missing - lost:g} of {packets:g} datagrams neither arrived nor were counted as lost, and the hosts"
                " do not tell what became of them"
            )
        lost = max(lost, min(missing, lost_between_hosts))
    return loss_of(document, packets, rate, min(lost, packets))


def loss_of(document: dict[str, Any], packets: float, rate: float, lost: float) -> dict[str, Any]:
    arrived = number(document, "receivedBitsPerSecond")
    return {
        "sentBitsPerSecond": round(rate),
        "receivedBitsPerSecond": round(rate * (1 - lost / packets) if arrived is None else arrived),
        "packets": packets,
        "lostPackets": round(lost),
        "lostPercent": 100 * lost / packets,  # not rounded: one lost datagram of a billion counts
    }


def receivers_count(document: dict[str, Any]) -> tuple[int, int] | None:
    """Lost and all datagrams after the warm-up, by the server's output; None where it was not requested."""
    text = value_of(document, "receiversCount")
    found = re.findall(TRIAL["receiversCount"], text) if isinstance(text, str) else []
    lost, packets = map(int, found[-1]) if found else (0, 0)
    return (lost, packets) if packets > 0 and lost >= 0 else None


def share_behind_warm_up(
    own: tuple[int, int], document: dict[str, Any], lost_between_hosts: int | None
) -> float:
    """Loss as a share of the datagrams due after the warm-up.

    The hosts' count includes the warm-up, like the client's: its surplus was lost after the last datagram
    that arrived.
    """
    lost, packets = own
    sent, reached = (number(document, name) or 0 for name in ("packets", "reachedPackets"))
    unseen = max(0, sent - reached)
    if lost_between_hosts is None:
        if unseen > lost:
            raise TrialProblem(f"the hosts do not tell what became of the last {unseen:g} datagrams")
        return lost / packets
    last = min(unseen, max(0, lost_between_hosts - max(lost, number(document, "lostPackets") or 0)))
    return (lost + last) / (packets + last)


def missing_of(document: dict[str, Any], packets: float) -> float:
    """Datagrams that the sender sent and the receiver did not read; 0 where the document lacks that."""
    size, arrived = number(document, "datagramBytes"), number(document, "receivedBytes")
    return max(0, packets - round(arrived / size)) if size and arrived is not None else 0


def tcp_figures(document: dict[str, Any]) -> dict[str, Any]:
    sent, received = number(document, "sentBitsPerSecond"), number(document, "receivedBitsPerSecond")
    if not received:
        raise TrialProblem("nothing arrived")
    return {
        "sentBitsPerSecond": None if sent is None else round(sent),
        "receivedBitsPerSecond": round(received),
    }
