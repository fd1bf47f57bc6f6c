"""File locks: a held lock proves that its process is alive."""

from __future__ import annotations

import fcntl
import os


def open_lock(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def try_lock(fd: int, operation: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(fd, operation | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def is_locked(path: str) -> bool:
    """Whether a live process holds the lock: process ids are reused, locks are not."""
    if not os.path.exists(path):
        return False
    fd = open_lock(path)
    try:
        return not try_lock(fd, fcntl.LOCK_SH)
    finally:
        os.close(fd)
