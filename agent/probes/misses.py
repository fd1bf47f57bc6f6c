"""Times without an answer, from packets sent on a schedule."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, NamedTuple

    class Miss(NamedTuple):
        """A time without an answer, in seconds of the samples' clock."""

        start: float
        end: float
        # Number of samples in it.
        samples: int
        # False if no answer came after it, so that it lasted at least so long.
        ended: bool


def misses(samples: Iterable[tuple[float, bool]], interval: float = 0.0) -> list[Miss]:
    """Runs of unanswered samples; a sample is its time of sending and whether it was answered in time.

    A run lasts from its first sample to the next answered one, with an error of one interval. A run at the
    end includes the last sample's interval.
    """
    found: list[tuple[float, float, int, bool]] = []
    since: float | None = None
    last, count = 0.0, 0
    for at, answered in samples:
        last = at
        if not answered:
            since = at if since is None else since
            count += 1
        elif since is not None:
            found.append((since, at, count, True))
            since, count = None, 0
    if since is not None:
        found.append((since, last + interval, count, False))
    return found  # type: ignore[return-value]
