"""The JSON documents on stdin and stdout, of one protocol version (protocol.ts)."""

from __future__ import annotations

import json
import sys

from common.checks import is_integer, take
from common.contract import CONTRACT
from common.errors import BadInput
from common.limits import MAX_STDIN_BYTES
from common.packing import packed
from common.texts import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROTOCOL_VERSION: int = CONTRACT["version"]
# Answer of an agent that restarted during the measurement.
NO_WINDOW = "no such window"


def read_stdin() -> dict[str, Any]:
    """The JSON document on stdin, its protocol version checked."""
    raw = sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)
    if len(raw) > MAX_STDIN_BYTES:
        raise BadInput(f"stdin: expected at most {MAX_STDIN_BYTES} bytes")
    try:
        document = json.loads(raw)
        json.dumps(document, ensure_ascii=False).encode()  # half a surrogate pair cannot be encoded
    except (ValueError, RecursionError) as error:
        raise BadInput(f"stdin: expected one JSON document: {error}") from None
    if not isinstance(document, dict):
        raise BadInput("stdin: expected a JSON object")
    take(
        document,
        "",
        "version",
        lambda value: is_integer(value, PROTOCOL_VERSION, PROTOCOL_VERSION),
        f"{PROTOCOL_VERSION}, this agent's protocol",
    )
    return document


def print_document(document: dict[str, Any]) -> None:
    sys.stdout.buffer.write(encode(document) + b"\n")


def print_kept(document: bytes) -> None:
    """Prints a JSON document for the state: packed, unless a person reads it."""
    sys.stdout.buffer.write((document if sys.stdout.isatty() else packed(document)) + b"\n")
