#!/usr/bin/env python3
"""Steps that several hosts begin or end together: the clients of a case with pairs.

They meet at one agent, that of the first pair's server: every member's runner calls there and is answered
when all have called, so that the answers leave at one instant. A member that cannot take part says so, and
the others learn it at once; a missing member is awaited no longer than the others allow.

Part of the agent's daemon; knows nothing of sockets and secrets.
"""

from __future__ import annotations

import threading
import time

from common.limits import MAX_PAIRS, MAX_WAIT_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from typing_extensions import TypeGuard

# Bounds on callers: each waiting member holds a thread.
MAX_RENDEZVOUS = 8
MAX_ID_LENGTH = 220
MAX_PROBLEM_LENGTH = 500
MAX_REMEMBERED = 64
# Seconds in which late callers are answered at once; afterwards a call may belong to the next update.
MAX_LATE_SECONDS = 10
# Interval of checks whether a waiting member is still connected: one that has gone must not count.
POLL_SECONDS = 0.1


class Refused(ValueError):
    """The reply in place of a start. `final`: another call would get the same."""

    def __init__(self, problem: str, final: bool = False) -> None:
        super().__init__(problem)
        self.final = final


class Rendezvous:
    """The members that wait for one start or end."""

    def __init__(self, count: int) -> None:
        self.count = count
        # The waiting call by member's number; a member's second call replaces its first.
        self.present: dict[int, object] = {}
        self.released_at: float | None = None
        self.problem: Refused | None = None


class AllRendezvous:
    """All rendezvous on this host."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: dict[str, Rendezvous] = {}
        # Why a start failed, and until when late callers get that reply.
        self._failed: dict[str, tuple[Refused, float]] = {}
        # Past starts, in order: a member that calls alone afterwards was lost on the way.
        self._held: dict[str, None] = {}

    def join(self, request: dict[str, Any], is_gone: Callable[[], bool]) -> dict[str, Any]:
        """Waits until all members have called. Raises Refused if that fails.

        `is_gone` tells whether the caller has hung up. The reply says how long ago the start was, so that
        the wake-up time of this host's threads does not count.
        """
        name, count, member, seconds, problem = checked(request)
        with self._changed:
            self._refuse_late(name)
            if problem is not None:
                self._fail(name, Refused(f"pair {member} cannot take part: {problem}", final=True), seconds)
                return {"ok": True}
            one = self._joined(name, count)
            call = object()
            one.present[member] = call
            if len(one.present) == one.count:
                del self._open[name]
                one.released_at = time.monotonic()
                self._held[name] = None
                self._forget_former(name)
                while len(self._held) > MAX_REMEMBERED:
                    del self._held[next(iter(self._held))]
            self._changed.notify_all()
            self._wait(name, one, member, call, seconds, is_gone)
            if one.problem is not None:
                raise one.problem
            if one.released_at is None:
                raise Refused("another call has taken this one's place")
            return {"releasedSecondsAgo": time.monotonic() - one.released_at}

    def _forget_former(self, name: str) -> None:
        """A restart clears failed steps of an earlier attempt."""
        steps = f"{name.rpartition(' ')[0]} "
        for former in [other for other in self._failed if other.startswith(steps)]:
            del self._failed[former]

    def waiting(self) -> dict[str, list[int]]:
        """The waiting members by the name of their start."""
        with self._changed:
            return {name: sorted(one.present) for name, one in self._open.items()}

    def _joined(self, name: str, count: int) -> Rendezvous:
        one = self._open.get(name)
        if one is None:
            if len(self._open) >= MAX_RENDEZVOUS:
                raise Refused(f"{MAX_RENDEZVOUS} starts are waiting already, and no more are taken")
            one = self._open[name] = Rendezvous(count)
        if one.count != count:
            raise Refused(f"count: this start is one of {one.count}, got {count}")
        return one

    def _wait(
        self,
        name: str,
        one: Rendezvous,
        member: int,
        call: object,
        seconds: float,
        is_gone: Callable[[], bool],
    ) -> None:
        deadline = time.monotonic() + seconds
        while one.released_at is None and one.problem is None and one.present.get(member) is call:
            if time.monotonic() > deadline:
                self._fail(name, self._missing(name, one, seconds), seconds)
            elif is_gone():
                del one.present[member]
                if not one.present:
                    self._open.pop(name, None)
            else:
                self._changed.wait(POLL_SECONDS)

    def _missing(self, name: str, one: Rendezvous, seconds: float) -> Refused:
        present = ", ".join(map(str, sorted(one.present)))
        missing = ", ".join(str(n) for n in range(1, one.count + 1) if n not in one.present)
        problem = f"of {one.count} pairs only {present} came to the start within {seconds:g} s, not {missing}"
        if name not in self._held:
            return Refused(problem)
        return Refused(
            f"{problem}: they have measured already, and this pair was lost on the way; a new run measures all again",
            final=True,
        )

    def _fail(self, name: str, problem: Refused, seconds: float) -> None:
        one = self._open.pop(name, None)
        if one is not None:
            one.problem = problem
        while len(self._failed) >= MAX_REMEMBERED:
            del self._failed[next(iter(self._failed))]
        self._failed[name] = (problem, time.monotonic() + min(seconds, MAX_LATE_SECONDS))
        self._changed.notify_all()

    def _refuse_late(self, name: str) -> None:
        problem, until = self._failed.get(name, (None, 0.0))
        if problem is not None and time.monotonic() < until:
            raise problem
        self._failed.pop(name, None)


def checked(request: dict[str, Any]) -> tuple[str, int, int, float, str | None]:
    """The request's id, count, member, seconds and problem. Raises Refused for anything else."""
    name, count, member = request.get("id"), request.get("count"), request.get("member")
    seconds, problem = request.get("maxSeconds"), request.get("problem")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_ID_LENGTH:
        raise Refused(f"rendezvous: expected an id of 1 to {MAX_ID_LENGTH} characters")
    if not is_whole(count, 2, MAX_PAIRS):
        raise Refused(f"rendezvous: expected a count of 2 to {MAX_PAIRS}")
    if not is_whole(member, 1, count):
        raise Refused("rendezvous: expected a member, 1 to count")
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, (int, float))
        or not 0 < seconds <= MAX_WAIT_SECONDS
    ):
        raise Refused(f"rendezvous: expected maxSeconds above 0, {MAX_WAIT_SECONDS} at most")
    if problem is not None and not isinstance(problem, str):
        raise Refused("rendezvous: expected a problem that is a text")
    return name, count, member, seconds, problem and problem[:MAX_PROBLEM_LENGTH]


def is_whole(value: Any, low: int, high: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
