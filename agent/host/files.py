"""The agent's directory and the files in it."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def program_directory() -> str:
    """The agent's directory, under the name that the program's caller used.

    Python resolves symbolic links in imports, and tools run in the directory above the named one.
    """
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = getattr(sys.modules["__main__"], "__file__", None)
    if program is None:  # python3 -c
        return here
    named = os.path.dirname(os.path.abspath(program))
    return named if os.path.realpath(named) == os.path.realpath(here) else here


AGENT_DIR = program_directory()
AGENT_FILE = os.path.join(AGENT_DIR, "agent.py")


def in_dir(*parts: str) -> str:
    return os.path.join(AGENT_DIR, *parts)


def write_file(path: str, content: bytes) -> None:
    """Replaces a file as a whole, private to the user: readers see the old or the new one, never a part."""
    temporary = f"{path}.{os.getpid()}.new"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
    os.replace(temporary, path)


def read_file(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def read_json(path: str) -> dict[str, Any] | None:
    """A JSON object that the agent wrote; None where it is missing or damaged."""
    raw = read_file(path)
    try:
        document = json.loads(raw) if raw is not None else None
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def read_ends(path: str, limit: int) -> str:
    """First and last `limit` bytes of a file as text."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= 2 * limit:
            raw = file.read(2 * limit)
        else:
            raw = file.read(limit)
            file.seek(size - limit)
            raw += b"\n" + file.read(limit)
    return raw.decode("utf-8", "replace")


def last_words(path: str) -> str:
    """The end of a log on one line, for an error message."""
    return " | ".join((read_file(path) or b"")[-300:].decode("utf-8", "replace").split("\n")).strip(" |")
