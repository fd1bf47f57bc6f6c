"""Reads a dashboard by the types of Grafana's own SDK, and prints each field that they lack or change."""

import json
import sys
from typing import Any, Iterator

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def differences(given: Any, read: Any, path: str = "") -> Iterator[str]:
    if isinstance(given, dict) and isinstance(read, dict):
        for key, value in given.items():
            if key in read:
                yield from differences(value, read[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        for at, (one, other) in enumerate(zip(given, read)):
            yield from differences(one, other, f"{path}[{at}]")
    elif given != read:
        yield f"{path}: {given!r} became {read!r}"


register_default_plugins()
dashboard = json.load(sys.stdin)
print(*differences(dashboard, json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))), sep="\n")
