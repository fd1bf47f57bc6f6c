"""No take-over: for tests that move addresses themselves."""

from typing import Any, Callable, Dict, List, Optional


class Outside:
    def __init__(self, _outside: Dict[str, Any]) -> None:
        self.here = False

    def take(self, _wanted: Callable[[], bool]) -> None:
        self.here = True

    def release(self) -> None:
        self.here = False

    def carries(self) -> Optional[bool]:
        return self.here

    def allowed(self) -> List[str]:
        return []


class NoSessions:
    """No copies: for a pair whose machines keep their own outside addresses."""

    running = True
    errors = 0

    def none(self, *_: Any) -> None:
        pass

    interrupt = ignore_windows = commit = taken = stand_by = purge = keep = behind = none
