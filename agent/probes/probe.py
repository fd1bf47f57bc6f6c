"""probe: runs a tool of the benchmark from the files here."""

from __future__ import annotations

import importlib
import os
import re

from common.errors import BadInput


def probe(arguments: list[str]) -> None:
    """usage: agent.py probe NAME OPTIONS

    Calls `measure` of the file of that name, with its options; `agent.py probe NAME --help` tells them.
    """
    name = arguments[0] if arguments else ""
    if not re.fullmatch(r"[a-z_]+", name) or not os.path.exists(f"{os.path.dirname(__file__)}/{name}.py"):
        raise BadInput(f"expected the name of a probe, got {name or 'nothing'}")
    module = importlib.import_module(f"probes.{name}")
    if arguments[1:2] in (["--help"], ["-h"]):
        print((module.__doc__ or "").strip())
        return
    module.measure(arguments[1:])
