"""`peak`: the number of TCP streams with the highest throughput."""

from __future__ import annotations

from probes.search_logic import Problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from probes.search_logic import Ask

# Stream counts are resolved to this share: finer trials would compare noise.
STREAMS_RESOLUTION = 16


class PeakSearch:
    """Proposes numbers of streams.

    1, 2, 4 ... streams up to the most allowed, since a plateau may be followed by a rise; then halves of the gaps
    beside the best. Of counts that carry the same within the tolerance the lowest is best.

    The trials that choose a count favour the one that noise made look best, so their figures are too high. The count is
    then settled and tried `confirmations` times more; the last of these trials is the figure, whatever it says. Of the
    trials allowed so many are kept for that.
    """

    def __init__(
        self,
        most: int,
        tolerance_percent: float = 1,
        confirmations: int = 1,
        trial_seconds: float = 1,
        max_trials: int = 120,
    ) -> None:
        self.most = most
        self.trial_seconds = trial_seconds
        self.share = 1 - tolerance_percent / 100
        self.confirmations = confirmations
        # Trials that may choose a count.
        self.choosing = max(1, max_trials - confirmations)
        self.trials: list[dict[str, Any]] = []
        self.values: dict[int, float] = {}
        self.given_up: set[int] = set()
        self.settled: int | None = None
        # Values of the settled count's confirmations.
        self.confirmed: list[float] = []
        self.problems = Problems()

    def propose(self) -> Ask | None:
        streams = None if self.problems.are_too_many else self._next_count()
        return None if streams is None else (streams, None, self.trial_seconds)

    def record(self, trial: dict[str, Any]) -> None:
        self.trials.append(trial)
        streams = trial["streams"]
        if trial["problem"] is not None:
            if self.problems.add((streams, None, self.trial_seconds)):
                self.given_up.add(streams)
            return
        self.problems = Problems()
        if self.settled is None:
            self.values[streams] = trial["receivedBitsPerSecond"]
        else:
            self.confirmed.append(trial["receivedBitsPerSecond"])
        trial["passed"] = self._found() == streams

    def best(self) -> int | None:
        """Index of the last trial of the chosen count: a confirmation, not selected for being high."""
        found = self._found()
        own = [
            index
            for index, trial in enumerate(self.trials)
            if trial["streams"] == found and trial["problem"] is None
        ]
        return max(own, default=None)

    def result(self) -> dict[str, Any]:
        found = self._found()
        is_open = self.problems.are_too_many or self._next_candidate() is not None
        cause = "range" if found == self.most else "path"
        values = [*self.confirmed, *([] if found is None else [self.values[found]])]
        held = len(self.confirmed) >= self.confirmations > 0 and min(values) >= self.share * max(values)
        return {
            "found": found,
            "lossBoundPercent": None,
            "limitedBy": "trials" if is_open else cause,
            "confirmed": held,
        }

    def _next_count(self) -> int | None:
        """The next count to try; without one, or without a trial left for one, the settled count."""
        if self.settled is None:
            candidate = self._next_candidate()
            if candidate is not None and len(self.trials) < self.choosing:
                return candidate
            self.settled = self._found()
        return self.settled if len(self.confirmed) < self.confirmations else None

    def _next_candidate(self) -> int | None:
        tried = {*self.values, *self.given_up}
        doubling = [2**power for power in range(self.most.bit_length()) if 2**power < self.most]
        for streams in (*doubling, self.most):
            if streams not in tried:
                return streams
        found = self._found()
        if found is None:
            return None
        below = found - max((one for one in tried if one < found), default=0)
        above = min((one for one in tried if one > found), default=found) - found
        enough = max(1, found // STREAMS_RESOLUTION)
        if max(below, above) > enough:
            return found - below // 2 if below >= above else found + above // 2
        return None

    def _found(self) -> int | None:
        if self.settled is not None:
            return self.settled
        enough = max(self.values.values(), default=0) * self.share
        return min((streams for streams, value in self.values.items() if value >= enough), default=None)
