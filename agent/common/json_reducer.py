"""Reduces a tool's JSON to the keys that the contract names."""

from __future__ import annotations

import json
import math
import re

from common.contract import CONTRACT
from common.texts import brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ABSENT = object()


def find_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a text, without surrounding noise of a terminal or library."""
    try:
        document, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError, MemoryError):
        return None
    return document if isinstance(document, dict) else None


def value_at(document: Any, keys: list[str]) -> Any:
    """The value at a path of keys; None where there is none."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def reduce_json(document: dict[str, Any], reducer: str) -> dict[str, Any]:
    """The same nesting with fewer keys, rounded; absent keys stay absent."""
    settings = CONTRACT["reducers"][reducer]
    for drop in settings["drop"]:
        entries = document.get(drop["list"])
        if isinstance(entries, list):
            dropped = [entry for entry in entries if value_at(entry, drop["flag"]) is True]
            kept = [entry for entry in entries if value_at(entry, drop["flag"]) is not True]
            figures = [value_at(entry, drop["figure"]) for entry in dropped]
            document = {**document, drop["list"]: kept}
            if figures and all(isinstance(one, int) for one in figures):
                document[drop["total"]] = sum(figures)
    for name, patterns in settings["last"].items():
        text = document.get(name)
        if isinstance(text, str):
            kept_lines = [line for pattern, most in patterns for line in last_matches(pattern, most, text)]
            document = {**document, name: "\n".join(kept_lines)}
    return keep(document, settings["keep"])


def last_matches(pattern: str, most: int, text: str) -> list[str]:
    return [one.group() for one in re.finditer(pattern, text)][-most:]


def keep(value: Any, projection: Any) -> Any:
    """The part of a value that the projection keeps; ABSENT where it has another shape."""
    if isinstance(projection, dict):
        if not isinstance(value, dict):
            return ABSENT
        kept = {key: keep(value[key], inner) for key, inner in projection.items() if key in value}
        return {key: inner for key, inner in kept.items() if inner is not ABSENT}
    if isinstance(projection, list):
        if not isinstance(value, list):
            return ABSENT
        kept_entries = [keep(entry, projection[0]) for entry in value]
        return [entry for entry in kept_entries if entry is not ABSENT]
    if isinstance(value, str):
        return brief(value, 5000)
    return rounded(value, projection) if value is None or isinstance(value, (bool, int, float)) else ABSENT


def rounded(value: Any, decimals: int) -> Any:
    """Rounds; NaN and infinity, which tools print after a division by zero, become null."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return round(value, decimals) if decimals > 0 else round(value)
