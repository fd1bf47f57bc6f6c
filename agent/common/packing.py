"""Packs reports for the state.

Lists of similar objects become columns, compressed (read-report.ts).
"""

from __future__ import annotations

import json

from common.texts import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Key of the columns in place of a list. A document that uses it is sent without columns.
COLUMNS = ""


def packed(document: bytes) -> bytes:
    """A JSON document in zlib and base64. The same document gives the same text."""
    import base64
    import zlib

    content = document if b'"":' in document else encode(in_columns(json.loads(document)))
    return base64.b64encode(zlib.compress(content, 9))


def in_columns(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_columns(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    rows = [in_columns(one) for one in value]
    keys = list(rows[0]) if rows and isinstance(rows[0], dict) else []
    if len(rows) < 2 or not keys or any(not isinstance(row, dict) or list(row) != keys for row in rows):
        return rows
    return {COLUMNS: [[row[key] for row in rows] for key in keys], "k": keys}
