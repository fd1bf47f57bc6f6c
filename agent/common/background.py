"""Threads that are only ever awaited with a bound."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Background:
    """Calls `target` in a thread.

    threading.Thread.start() waits for the thread to begin, without end if there is no memory for it.

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
        """Waits for the thread's end, at most so long."""
        self._over.wait(seconds)
