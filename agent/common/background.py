"""Threads that are waited for with a bound only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Background:
    """Calls `target` in a thread.

    threading.Thread.start() waits for the thread to begin: for ever, where it has no memory to.

    Raises RuntimeError where the host can start no thread.
    """

    def __init__(self, target: Callable[..., Any], *arguments: Any) -> None:
        import _thread
        import threading

        self._over = threading.Event()
        _thread.start_new_thread(self._run, (target, arguments))

    def _run(self, target: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            target(*arguments)
        finally:
            self._over.set()

    def join(self, seconds: float) -> None:
        """Waits for its end, so long at most."""
        self._over.wait(seconds)
