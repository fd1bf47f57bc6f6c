"""Where a search goes next: pure logic that is told each trial's figures; search.py runs the trials.

A search proposes (streams, offered bits per second or None for TCP's own pace) until it proposes None. A trial
is an entry of `trials` as bench/results/measurement.ts defines it; `record` decides its `passed`.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple

    Ask = Tuple[int, Optional[int]]

# A sender that sent less of what it was asked for was at a limit of its own.
SENDER_SHARE = 0.97
# So many trials without figures at one point stand for a failure there; so many in a row end the search.
PROBLEMS_AT_POINT = 2
PROBLEMS_IN_ROW = 4
# Stream counts are told apart to this share: beyond it a trial tells noise from noise.
STREAMS_RESOLUTION = 16


def drive(
    search: Any,
    run_trial: Callable[[int, int | None], dict[str, Any]],
    max_trials: int,
    is_time_left: Callable[[], bool] = lambda: True,
) -> list[dict[str, Any]]:
    """Runs trials until the search has what it wants, or may not go on; returns them in their order."""
    trials: list[dict[str, Any]] = []
    while len(trials) < max_trials and is_time_left():
        ask = search.propose()
        if ask is None:
            break
        trials.append(run_trial(*ask))
        search.record(trials[-1])
    return trials


class Problems:
    """Trials without figures since the last one with: a flood may kill iperf3's own control connection."""

    def __init__(self) -> None:
        self.in_row = 0
        self.at_point: tuple[Ask | None, int] = (None, 0)

    def add(self, ask: Ask) -> bool:
        """Whether this point has had its chances."""
        self.in_row += 1
        point, times = self.at_point
        self.at_point = (ask, times + 1 if point == ask else 1)
        return self.at_point[1] >= PROBLEMS_AT_POINT

    @property
    def are_too_many(self) -> bool:
        return self.in_row >= PROBLEMS_IN_ROW


class RateSearch:
    """`ndr`, `pdr`: the highest offered UDP rate that loses no more than the bound, in the manner of RFC 2544.

    The highest rate first, then halves of what lies between the highest passed and the lowest failed rate (in
    proportion, since the precision is one), until they are within the precision; then the passed one again.
    Whatever fails, also a repetition, is a bound that nothing above it can undo: the figure is below every failure.
    """

    def __init__(
        self,
        least: int,
        most: int,
        streams: int = 1,
        loss_percent: float = 0,
        precision_percent: float = 1,
        confirmations: int = 1,
    ) -> None:
        self.streams = streams
        self.least = self._whole(least)
        self.most = self._whole(most)
        self.loss_percent = loss_percent
        self.factor = 1 + precision_percent / 100
        self.confirmations = confirmations
        self.trials: list[dict[str, Any]] = []
        self.passed: dict[int, list[int]] = {}
        self.bounds: list[tuple[int, str]] = []
        self.suspects: list[tuple[int, str]] = []  # bounds, unless it turns out that nothing works any more
        self.problems = Problems()
        self.sender_rate: int | None = None

    def propose(self) -> Ask | None:
        rate = None if self.problems.are_too_many else self._next_rate()
        return None if rate is None else (self.streams, rate)

    def record(self, trial: dict[str, Any]) -> None:
        self.trials.append(trial)
        rate = trial["offeredBitsPerSecond"]
        if trial["problem"] is not None:
            if self.problems.add((self.streams, rate)):
                self.suspects.append((rate, "path"))
            return
        self.bounds += self.suspects
        self.suspects = []
        self.problems = Problems()
        sent = trial["sentBitsPerSecond"]
        is_limited = sent < SENDER_SHARE * rate
        self.sender_rate = None
        if trial["lostPercent"] > self.loss_percent:
            self.bounds.append((self._whole(sent) if is_limited else rate, "path"))
        elif is_limited:
            # Nothing was lost, but at a lower rate: that one is tried next.
            self.sender_rate = self._whole(sent)
            self.bounds.append((self._whole(sent / SENDER_SHARE), "sender"))
        else:
            trial["passed"] = True
            self.passed.setdefault(rate, []).append(len(self.trials) - 1)

    def best(self) -> int | None:
        """Index of the trial whose figures are the search's: the last one that passed at the rate found."""
        low, _ = self._bracket()
        return None if low is None else self.passed[low][-1]

    def result(self) -> dict[str, Any]:
        low, bound = self._bracket()
        best = self.best()
        # What was asked for, or what was sent where that is less: up to 3 % of it count as sent.
        found = None if best is None else min(low, round(self.trials[best]["sentBitsPerSecond"]))
        is_open = self.problems.are_too_many or self._next_rate() not in (None, low)
        cause = "range" if bound is None else bound[1]
        return {
            "found": found,
            "lossBoundPercent": self.loss_percent,
            "limitedBy": "trials" if is_open else cause,
            "confirmed": low is not None and len(self.passed[low]) > self.confirmations > 0,
        }

    def _next_rate(self) -> int | None:
        low, bound = self._bracket()
        if bound is None:
            return self.most if low is None else self._repeat(low)
        rate = bound[0]
        hint = self.sender_rate
        if hint is not None and (low or self.least) < hint < rate:
            return hint
        if low is not None:
            return self._middle(low, rate) or self._repeat(low)
        return (self._middle(self.least, rate) or self.least) if rate > self.least else None

    def _bracket(self) -> tuple[int | None, tuple[int, str] | None]:
        """Highest passed rate below all failures, and the lowest failure."""
        suspects = [] if self.problems.are_too_many else self.suspects
        bound = min(self.bounds + suspects, default=None)
        below = [rate for rate in self.passed if bound is None or rate < bound[0]]
        return max(below, default=None), bound

    def _middle(self, low: int, high: int) -> int | None:
        """None where the two are within the precision, or have nothing between them."""
        middle = self._whole(math.sqrt(low * high))
        return middle if high > low * self.factor and low < middle < high else None

    def _repeat(self, rate: int) -> int | None:
        return rate if len(self.passed[rate]) <= self.confirmations else None

    def _whole(self, rate: float) -> int:
        """A rate that all streams have an equal, whole share of."""
        return max(1, int(rate // self.streams)) * self.streams


class PeakSearch:
    """`peak`: how many TCP streams carry most.

    1, 2, 4 ... streams up to the most allowed, since a plateau may be followed by a rise; then halves of the gaps
    beside the best; then the best again. Of counts that carry the same within the tolerance the lowest is best.
    """

    def __init__(self, most: int, tolerance_percent: float = 1, confirmations: int = 1) -> None:
        self.most = most
        self.share = 1 - tolerance_percent / 100
        self.confirmations = confirmations
        self.trials: list[dict[str, Any]] = []
        self.values: dict[int, list[float]] = {}
        self.given_up: set[int] = set()
        self.problems = Problems()

    def propose(self) -> Ask | None:
        streams = None if self.problems.are_too_many else self._next_count()
        return None if streams is None else (streams, None)

    def record(self, trial: dict[str, Any]) -> None:
        self.trials.append(trial)
        streams = trial["streams"]
        if trial["problem"] is not None:
            if self.problems.add((streams, None)):
                self.given_up.add(streams)
            return
        self.problems = Problems()
        self.values.setdefault(streams, []).append(trial["receivedBitsPerSecond"])
        trial["passed"] = self._found() == streams

    def best(self) -> int | None:
        """Index of the last trial of the count found: unlike the first, it was not chosen for being high."""
        found = self._found()
        own = [
            index
            for index, trial in enumerate(self.trials)
            if trial["streams"] == found and trial["problem"] is None
        ]
        return max(own, default=None)

    def result(self) -> dict[str, Any]:
        found = self._found()
        is_open = self.problems.are_too_many or self._next_count() not in (None, found)
        cause = "range" if found == self.most else "path"
        values = self.values.get(found or 0, [])
        held = len(values) > self.confirmations > 0 and min(values) >= self.share * max(values)
        return {
            "found": found,
            "lossBoundPercent": None,
            "limitedBy": "trials" if is_open else cause,
            "confirmed": held,
        }

    def _next_count(self) -> int | None:
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
        return found if len(self.values[found]) <= self.confirmations else None

    def _found(self) -> int | None:
        means = {streams: sum(values) / len(values) for streams, values in self.values.items()}
        enough = max(means.values(), default=0) * self.share
        return min((streams for streams, mean in means.items() if mean >= enough), default=None)
