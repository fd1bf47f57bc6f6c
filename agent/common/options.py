"""Options of a command line."""

from __future__ import annotations

import math
import re

from common.contract import CONTRACT
from common.errors import BadInput

# Bounds that mark a text.
TEXT = (float("nan"), float("nan"))
PORT = (None, 1, 65535)
# The other end of a probe.
ENDPOINT: dict[str, tuple[str | None, float, float]] = {"address": (None, *TEXT), "port": PORT}
# Seconds of a case: a plan's, or as long as the runner lets a command run.
CASE_DURATION = (None, 1, CONTRACT["bounds"]["durationSeconds"])
DURATION = (None, 0.001, CONTRACT["bounds"]["spec"]["timeoutSeconds"])


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
