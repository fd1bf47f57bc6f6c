"""The contract: this agent's settings for tools and bounds, the same for all cases (contract.ts writes it)."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "contract.json")


def read() -> dict[str, Any]:
    with open(FILE, encoding="utf-8") as file:
        return json.load(file)


CONTRACT = read()


def options_of(probe: str) -> dict[str, tuple[str, float, float]]:
    """Default and bounds of a probe's options, as `common.options` reads them."""
    known = CONTRACT["options"][probe].items()
    return {name: (str(one["default"]), one["min"], one["max"]) for name, one in known}


def filled(template: list[dict[str, Any]], values: dict[str, Any]) -> list[str]:
    """The words of a command line; a part is left out where its value is null or false."""
    parts = [part for part in template if "when" not in part or values[part["when"]] not in (None, False)]
    return [word.format_map(values) for part in parts for word in part["words"]]
