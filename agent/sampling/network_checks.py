"""Network figures that another host sent: taken with the protocol's keys, or not at all."""

from __future__ import annotations

import re

from sampling.network_usage import MAX_INTERFACES, RARE, RATES, TOTALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
# Bound on packets and bytes: more is no counter.
MAX_COUNT = 2**63
UDP_ERRORS = ("receiveBufferErrors", "sendBufferErrors")
UDP_DATAGRAMS = ("sentDatagrams", "arrivedDatagrams")


def checked_usage(usage: Any) -> dict[str, Any] | None:
    """Another host's figures with the protocol's keys and no others; None where they have not its shape."""
    try:
        conntrack = usage["conntrack"]
        return {
            "interfaces": [
                {
                    "name": name_of(entry["name"]),
                    **{key: count(entry[key]) for key in TOTALS},
                    **({"restarted": True} if entry.get("restarted") is True else {}),
                }
                for entry in list_of(usage["interfaces"])[:MAX_INTERFACES]
            ],
            "tcpRetransmits": count_or_none(usage["tcpRetransmits"]),
            "udp": None
            if usage.get("udp") is None
            else {
                name: count(usage["udp"][name])
                for name in (*UDP_ERRORS, *UDP_DATAGRAMS)
                if name in UDP_ERRORS or name in usage["udp"]
            },
            "softnetDrops": count_or_none(usage.get("softnetDrops")),
            "conntrack": None
            if conntrack is None
            else {
                "peak": count(conntrack["peak"]),
                "limit": count_or_none(conntrack["limit"]),
                "failures": count(conntrack["failures"]),
            },
            "series": [checked_second(entry) for entry in list_of(usage["series"])],
        }
    except (KeyError, TypeError, ValueError):
        return None


def checked_second(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "at": timestamp(entry["at"]),
        **{key: count(entry[key]) for key in (*RATES, "drops")},
        "conntrack": count_or_none(entry["conntrack"]),
        "tcpRetransmits": count_or_none(entry["tcpRetransmits"]),
        **{key: count_or_none(entry[key]) for key in RARE if key in entry},
    }


def list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise ValueError
    return value


def count_or_none(value: Any) -> int | None:
    return None if value is None else count(value)


def name_of(value: Any) -> str:
    """Linux's longest name of an interface has 15 bytes."""
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]{1,15}", value):
        raise ValueError
    return value


def timestamp(value: Any) -> str:
    if not isinstance(value, str) or not TIMESTAMP.fullmatch(value):
        raise ValueError
    return value
