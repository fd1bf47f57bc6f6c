"""Options of a command line."""

from __future__ import annotations

import math
import re

from common.errors import BadInput

# Bounds that mark a text.
TEXT = (float("nan"), float("nan"))


def options(arguments: list[str], known: dict[str, tuple[str | None, float, float]]) -> dict[str, str]:
    """`--name value` pairs; `known` has default (None: required) and bounds, NaN bounds for a text."""
    given = {name: default for name, (default, _, _) in known.items()}
    pairs = iter(arguments)
    for option in pairs:
        name = option[2:]
        if not option.startswith("--") or name not in known:
            raise BadInput(f"{option}: unknown option, expected " + ", ".join(f"--{name}" for name in known))
        given[name] = next(pairs, None)
    for name, (_, low, high) in known.items():
        value = given[name]
        if value is None:
            raise BadInput(f"--{name}: expected a value, got nothing")
        if not math.isnan(low) and not (is_decimal(value) and low <= float(value) <= high):
            raise BadInput(f"--{name}: expected a number from {low:g} to {high:g}, got {value}")
    return {name: str(value) for name, value in given.items()}


def is_decimal(text: str) -> bool:
    return re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) is not None
