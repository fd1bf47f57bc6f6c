"""Checks of outside input, whose errors name key, value and what is allowed."""

from __future__ import annotations

import json

from common.contract import CONTRACT
from common.errors import BadInput
from common.texts import encode

MAX_PORT_RANGES: int = CONTRACT["bounds"]["portRanges"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def is_number(value: Any, low: float, high: float) -> bool:
    """A JSON number in [low, high]; neither NaN (Python's parser takes it) nor a boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


def is_integer(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_port(value: Any) -> bool:
    return is_integer(value, 1, 65535)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(is_text(entry) for entry in value)


def is_passable(value: Any, most_bytes: int, levels: int = 6) -> bool:
    """Whether JSON of another host fits into a report by size and depth; NaN is no JSON."""
    try:
        return is_shallow(value, levels) and len(encode(value)) <= most_bytes
    except ValueError:
        return False


def is_shallow(value: Any, levels: int) -> bool:
    entries: Any = list(value.values()) if isinstance(value, dict) else value
    return not isinstance(entries, list) or (
        levels > 0 and all(is_shallow(one, levels - 1) for one in entries)
    )


def take(document: dict[str, Any], where: str, name: str, check: Callable[[Any], bool], expected: str) -> Any:
    """The value of a key. Raises BadInput naming key, value and what is allowed."""
    value = document.get(name)
    if not check(value):
        got = "nothing" if value is None else json.dumps(value)[:100]
        raise BadInput(f"{where}{name}: expected {expected}, got {got}")
    return value


def take_object(document: dict[str, Any], where: str, name: str) -> dict[str, Any]:
    return take(document, where, name, lambda value: isinstance(value, dict), "an object")


def are_ports(value: Any) -> bool:
    """Port ranges by protocol, both ends inclusive."""
    return (
        isinstance(value, dict)
        and set(value) <= {"tcp", "udp"}
        and all(is_list_of_ranges(ranges) for ranges in value.values())
    )


def is_list_of_ranges(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= MAX_PORT_RANGES
        and all(
            isinstance(one, list)
            and len(one) == 2
            and all(is_integer(port, 1, 65535) for port in one)
            and one[0] <= one[1]
            for one in value
        )
    )
