"""Text and JSON text, encoded and cut to a size."""

from __future__ import annotations

import json
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encode(document: Any) -> bytes:
    """Compact UTF-8 JSON. NaN and infinity, which JSON lacks, must not be in it."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace")


def clip(text: str, limit: int) -> str:
    """Head and tail of a text, with a line between them that counts what is left out, in at most `limit`
    bytes of JSON.
    """
    keep = len(text)
    while True:
        kept = (
            text
            if keep >= len(text)
            else (
                text[: keep // 2]
                + f"\n[... {len(text) - keep // 2 * 2} characters left out ...]\n"
                + text[len(text) - keep // 2 :]
            )
        )
        size = len(encode(kept))
        if size <= limit or keep < 2:
            return kept
        keep = min(keep - 1, keep * limit // size)


def last(text: str, limit: int) -> str:
    """The tail of a text in at most `limit` bytes of JSON."""
    while text and len(encode(text)) > limit:
        text = text[max(1, len(text) - len(text) * limit // len(encode(text))) :]
    return text


def iso_now() -> str:
    """The present time in the results' format: UTC with milliseconds."""
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def brief(value: Any, limit: int = 300) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
