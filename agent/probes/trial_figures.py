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
# Share of the datagrams by which a receiver's two counts behind a warm-up may differ.
WARM_UP_SHARE = 0.001
# Datagrams that may come when a test is over.
MOST_LATE = 3


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


def udp_figures(
    document: dict[str, Any],
    lost_between_hosts: int | None,
    extra_seconds: float = 0.0,
    is_of_test: bool = False,
) -> dict[str, Any]:
    """Figures of a UDP trial, whose receiver counts for so many seconds longer than the sender sends.

    `is_of_test`: the kernels' count has no other programs' datagrams among those that arrived.

    Loss is the receiver's count. If more is missing, the hosts' kernel counters decide how much of that
    was lost. Raises TrialProblem where they cannot: no rate is called lossless by a guess.
    """
    if is_cut(document):
        raise TrialProblem(
            "the bytes that arrived are not those of whole datagrams: some were cut on their way"
        )
    found = counted(document, lost_between_hosts)
    if is_of_test and lost_between_hosts is not None:
        # A receiver reads two that were cut as one, and may end before a late one.
        unread = found["lostPackets"] - lost_between_hosts - out_of_order(document)
        if unread > max(MOST_LATE, WARM_UP_SHARE * found["packets"]):
            raise TrialProblem(
                f"{unread:g} datagrams reached the receiver's kernel and count as lost: cut, or too late"
            )
    if not is_whole(document, found):
        # The receiver takes each late or doubled datagram off its losses: as many more may be lost.
        found["lostPackets"] = min(found["packets"], found["lostPackets"] + out_of_order(document))
    share = found["lostPackets"] / found["packets"]
    found["lostPercent"] = 100 * share  # not rounded: one lost datagram of a billion counts
    found["receivedBitsPerSecond"] = round(
        arrived_rate(document, found["sentBitsPerSecond"] * (1 - share), extra_seconds)
    )
    return found


def is_cut(document: dict[str, Any]) -> bool:
    """Whether some datagrams were cut: what arrived is no whole number of them, or less than those that the
    receiver itself counted. A sender may print 0 for what its receiver lost, so its document does not tell.
    """
    size, arrived = number(document, "datagramBytes"), number(document, "receivedBytes")
    if not size or arrived is None:
        return False
    own = receivers_count(document)
    lost, packets = own[:2] if own else (number(document, "lostPackets"), number(document, "reachedPackets"))
    is_receivers = own is not None or bool(value_of(document, "reverse"))
    counted = packets - lost if is_receivers and packets is not None and lost is not None else 0
    # A receiver with threads may set bytes and numbers to 0 at different datagrams of the warm-up.
    slack = WARM_UP_SHARE if value_of(document, "omit") else 0
    return arrived % size > 0 or arrived < size * counted * (1 - slack)


def is_whole(document: dict[str, Any], found: dict[str, Any]) -> bool:
    """Whether nothing was lost though datagrams were out of order: none was missed, and no more came than were
    sent, unless all of those came twice.
    """
    size, arrived = number(document, "datagramBytes"), number(document, "receivedBytes")
    twice = round(arrived / size) - found["packets"] if size and arrived is not None else 0
    is_none = found["lostPackets"] == 0 and number(document, "lostPackets") == 0
    return is_none and (twice <= 0 or twice == out_of_order(document))


def arrived_rate(document: dict[str, Any], kept: float, extra_seconds: float) -> float:
    """Bits a second by the receiver's time; where nothing tells that, those sent and not lost."""
    rate, seconds, sent = (
        number(document, name) for name in ("receivedBitsPerSecond", "receivedSeconds", "sentSeconds")
    )
    own = receivers_count(document)
    size = number(document, "datagramBytes")
    if rate is None and own is not None and own[2] and size:
        seconds = own[2]
        rate = 8 * size * (own[1] - own[0]) / seconds
    if rate is None:
        return kept
    return rate * seconds / max(seconds - extra_seconds, min(seconds, sent or seconds)) if seconds else rate


def counted(document: dict[str, Any], lost_between_hosts: int | None) -> dict[str, Any]:
    rate, packets, lost = (
        number(document, "sentBitsPerSecond"),
        sent_packets(document),
        number(document, "lostPackets"),
    )
    if not rate or not packets or lost is None:
        raise TrialProblem("the tool's document does not tell what was sent and lost")
    own = receivers_count(document)
    if own is not None:
        return loss_of(packets, rate, packets * share_behind_warm_up(own[:2], document, lost_between_hosts))
    missing = missing_of(document, packets)
    if missing > lost:
        if lost_between_hosts is None:
            raise TrialProblem(
                f"{missing - lost:g} of {packets:g} datagrams neither arrived nor were counted as lost, and the hosts"
                " do not tell what became of them"
            )
        more = min(missing, lost_between_hosts) - lost
        if value_of(document, "omit") and more > max(MOST_LATE, WARM_UP_SHARE * packets):
            raise TrialProblem(
                f"{more:g} datagrams were lost in the warm-up, or behind the last one that the client read: leave out"
                " omitSeconds"
            )
        lost += max(0, more)
    return loss_of(packets, rate, min(lost, packets))


def sent_packets(document: dict[str, Any]) -> float | None:
    """Datagrams that were sent. From an older server a client of 3.14 or newer takes only their bytes."""
    packets, total, size = (number(document, name) for name in ("packets", "sentBytes", "datagramBytes"))
    return packets or (round(total / size) if total and size else None)


def loss_of(packets: float, rate: float, lost: float) -> dict[str, Any]:
    return {"sentBitsPerSecond": round(rate), "packets": packets, "lostPackets": round(lost)}


def receivers_count(document: dict[str, Any]) -> tuple[int, int, float] | None:
    """Lost and all datagrams after the warm-up, and the time of all, by the server's output; None without it."""
    found = matches(document, "receiversCount")
    if not found:
        return None
    seconds, lost, packets = float(found[-1][0] or 0), *map(int, found[-1][1:])
    return (lost, packets, seconds) if packets > 0 and lost >= 0 else None


def out_of_order(document: dict[str, Any]) -> int:
    """Datagrams that came late or twice, by the end that received."""
    said = matches(document, "outOfOrder")
    streams = [value_at(one, ["udp", "out_of_order"]) for one in value_of(document, "streams") or []]
    return sum(map(int, said)) + sum(int(one) for one in streams if is_number(one, 0, 2**63))


def matches(document: dict[str, Any], pattern: str) -> list[Any]:
    text = value_of(document, "serverOutput")
    return re.findall(TRIAL[pattern], text) if isinstance(text, str) else []


def share_behind_warm_up(
    own: tuple[int, int], document: dict[str, Any], lost_between_hosts: int | None
) -> float:
    """Loss as a share of the datagrams due after the warm-up.

    The hosts' count includes the warm-up, like the client's: its surplus was lost after the last datagram
    that arrived.
    """
    lost, packets = own
    unseen = max(0, (sent_packets(document) or 0) - (number(document, "reachedPackets") or 0))
    if lost_between_hosts is None:
        if unseen > lost:
            raise TrialProblem(f"the hosts do not tell what became of the last {unseen:g} datagrams")
        return lost / packets
    last = min(unseen, max(0, lost_between_hosts - max(lost, number(document, "lostPackets") or 0)))
    # Where some behind the last seen one were lost, the others came after the receiver had stopped.
    return (lost + last) / (packets + (unseen if last > 0 else 0))


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
