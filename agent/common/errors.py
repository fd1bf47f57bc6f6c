"""The agent's exceptions, and a case's failure."""

from __future__ import annotations

import socket

from common.texts import brief

# Made in advance: without memory no new error can be created.
NO_MEMORY = "no memory left on this host"


class BadInput(Exception):
    """The caller's mistake: exit status 2."""


class AgentError(Exception):
    """The agent cannot do its work: exit status 1. `final`: a retry would fail in the same way."""

    def __init__(self, problem: str, final: bool = False) -> None:
        super().__init__(problem)
        self.final = final


def reason(error: BaseException) -> str:
    """An exception's message without Python's decoration."""
    if isinstance(error, socket.timeout):
        return "timed out"
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)) or type(
        error
    ).__name__


def failure(failure_class: str, message: str) -> dict[str, str]:
    return {"class": failure_class, "message": brief(message, 1000)}
