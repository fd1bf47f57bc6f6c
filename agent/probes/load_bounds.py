"""Whether a rate keeps within a loss bound: classification of loads, after draft-ietf-bmwg-mlrsearch.

A single trial proves nothing. A rate is classified by the seconds of all its trials: it is a lower bound
of a goal once it has so many good seconds that bad ones could not exceed the allowed ratio, and an upper
bound once they do. So a stray loss costs a trial and not the search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# A queue that grew by more than this, and by more than this share of the trial, held what the path did not carry.
HELD_SECONDS = 0.03
HELD_SHARE = 0.01
# Divisor for the length of the first phase's trials, which only find the neighbourhood.
SHORTER = 10


class Goal(NamedTuple):
    """A loss bound, the time that it must be kept, and its name in results."""

    name: str
    loss_percent: float
    trial_seconds: float = 1
    sum_seconds: float = 21
    # Share of the time that may lose more.
    exceed: float = 0.5

    def tells(self, record: Record) -> bool:
        """Whether a trial counts for this goal.

        A longer trial with losses may have kept the bound in most of its parts.
        """
        return record.seconds <= self.trial_seconds or record.is_good(self.loss_percent)


class Phase(NamedTuple):
    """A phase's distance of the bounds on the grid, length of its trials, and time for a rate."""

    width: int
    trial_seconds: float
    sum_seconds: float


class Record(NamedTuple):
    """One trial at a rate."""

    seconds: float
    loss_percent: float
    # Whether the sender missed the rate.
    is_limited: bool
    # Bits a second.
    sent: float
    # Position among all trials.
    order: int
    # Bits a second, by the receiver's time.
    arrived: float = math.inf

    @property
    def carried(self) -> float:
        """Bits a second that were neither lost nor still in a queue when the sender stopped."""
        return min(self.arrived, self.sent * (1 - self.loss_percent / 100))

    @property
    def is_held(self) -> bool:
        """Whether a queue grew: such a trial loses nothing only because it is short."""
        kept = self.sent * (1 - self.loss_percent / 100)
        seconds = self.seconds * (1 - self.carried / kept) if kept > 0 else 0
        return seconds > max(HELD_SECONDS, HELD_SHARE * self.seconds)

    def is_good(self, loss_percent: float) -> bool:
        """Whether the path carried the requested rate, but for a loss within a bound."""
        return not self.is_limited and not self.is_held and self.loss_percent <= loss_percent


class Grid:
    """Rates from the least to the most, each higher than the one before by the precision."""

    def __init__(self, least: int, most: int, streams: int, precision_percent: float) -> None:
        self.streams = streams
        self.most = most
        self.step = math.log1p(precision_percent / 100)
        self.top = max(1, math.ceil(math.log(most / least) / self.step))
        self.least = least

    def rate(self, place: int) -> int:
        """A rate that divides into equal whole shares for all streams."""
        rate = max(self.least, self.most * math.exp((place - self.top) * self.step))
        return max(1, int(rate * (1 + 1e-12) // self.streams)) * self.streams

    def below(self, rate: float) -> int:
        """The highest place whose rate is not above `rate`; 0 where there is none."""
        if rate <= self.least:
            return 0
        place = min(self.top, self.top + math.floor(math.log(rate / self.most) / self.step) + 1)
        return place if self.rate(place) <= rate else max(0, place - 1)


def phases_of(trial_seconds: float, sum_seconds: float) -> list[Phase]:
    """Phases from the neighbourhood to the figure.

    The middle one is left out if its trials would be no longer than the first phase's.
    """
    short = max(1.0, float(round(trial_seconds / SHORTER)))
    first = Phase(2, short, 2 * short)
    between = [Phase(1, trial_seconds, trial_seconds)] if trial_seconds > short else []
    return [first, *between, Phase(1, trial_seconds, max(trial_seconds, sum_seconds))]


def is_lower_bound(records: list[Record], loss_percent: float, exceed: float, phase: Phase) -> bool | None:
    """Whether a rate is a lower bound (True) or an upper one (False); None where its trials do not decide
    yet.

    Trials shorter than the phase's cannot make a rate good: their good seconds only balance their own bad
    ones.
    """
    good = bad = short_good = short_bad = 0.0
    for record in records:
        is_good = record.is_good(loss_percent)
        if record.seconds >= phase.trial_seconds:
            good, bad = (good + record.seconds, bad) if is_good else (good, bad + record.seconds)
        elif is_good:
            short_good += record.seconds
        else:
            short_bad += record.seconds
    bad += max(0.0, short_bad - short_good * exceed / (1 - exceed))
    whole = max(good + bad, phase.sum_seconds)
    if bad > whole * exceed:
        return False
    return True if whole - good <= whole * exceed else None


def conditional_loss(records: list[Record], exceed: float, phase: Phase) -> float | None:
    """The share not carried that only the exceed ratio of the seconds is above; missing seconds count as all
    lost.
    """
    whole = [one for one in records if one.seconds >= phase.trial_seconds]
    wanted = max(sum(one.seconds for one in whole), phase.sum_seconds) * (1 - exceed)
    seen = 0.0
    for one in sorted(whole, key=lambda record: -record.carried / record.sent):
        seen += one.seconds
        if seen >= wanted:
            return 100 * (1 - one.carried / one.sent) if one.is_held else one.loss_percent
    return None
