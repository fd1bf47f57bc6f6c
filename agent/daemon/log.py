"""The daemon's log."""

from __future__ import annotations

import os

from common.limits import MAX_LOG_BYTES
from common.texts import iso_now


def log(text: str) -> None:
    """Writes to stderr, which is the daemon's log: emptied when it grows too long."""
    try:
        if os.fstat(2).st_size > MAX_LOG_BYTES:
            os.ftruncate(2, 0)
        os.write(2, f"{iso_now()} {text}\n".encode("utf-8", "replace"))
    except OSError:  # a full disk must not end the daemon
        pass
