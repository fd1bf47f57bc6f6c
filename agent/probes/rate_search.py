"""The highest rates that keep within loss bounds: a multiple loss ratio search, after draft-ietf-bmwg-mlrsearch.

How the next rate is chosen is not specified. Here rates lie on a grid whose step is the precision, so that goals meet
at the same ones and share trials, and goals are approached in phases, with few and short trials first.
"""

from __future__ import annotations

from probes.load_bounds import Goal, Grid, Phase, Record, conditional_loss, is_lower_bound, phases_of
from probes.search_logic import Problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

    from probes.search_logic import Ask

    Bounds = Tuple[Optional[int], Optional[int]]
    Records = Dict[int, List[Record]]

# A sender below this share of the requested rate was at a limit of its own.
SENDER_SHARE = 0.97
# Steps of the grid that are jumped instead of walked.
FAR = 16


class Pursuit:
    """State of the search for one goal: its phase, and the rate to try in it."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self.phases = phases_of(goal.trial_seconds, goal.sum_seconds)
        self.number = 0
        self.target: int | None = None
        self.suggestions: list[int] = []
        self.width = self.phases[0].width
        self.steps = 0

    @property
    def phase(self) -> Phase:
        return self.phases[self.number]

    @property
    def is_last(self) -> bool:
        return self.number == len(self.phases) - 1

    def enter_next(self, lower: int | None, upper: int | None) -> None:
        """Enters the next phase, which tries this one's bounds.

        Their middle goes first, which saves one of them.
        """
        self.number += 1
        self.width = width = self.phase.width
        self.steps = 0
        ends = [place for place in (lower, upper) if place is not None]
        is_wide = lower is not None and upper is not None and upper - lower > width
        self.suggestions = [sum(ends) // 2, *ends] if is_wide else ends

    def aim(self, lower: int | None, upper: int | None, hint: int, top: int) -> int:
        """A new target: a hint if given, else towards a missing bound in growing steps, else halfway."""
        inner = [place for place in self.suggestions if is_between(place, lower, upper)]
        self.target = inner[0] if inner else self._step(lower, upper, hint, top)
        return self.target

    def _step(self, lower: int | None, upper: int | None, hint: int, top: int) -> int:
        if lower is None and upper is None:
            return top
        if lower is None:
            # Downwards the first phase is quick: more of a flood arrives than passes without loss.
            down = (upper or 0) - self._stride() * (2 if self.number == 0 else 1)
            return hint if hint < down else self._count(max(0, down))
        # The allowed maximum is far above any result, so it is no end of an interval to halve.
        if upper == top and lower + FAR < hint < top:
            return hint
        if upper is None or upper == top:
            halfway = top if upper is None else (lower + upper) // 2
            return self._count(min(halfway, lower + self._stride()))
        return (lower + upper) // 2

    def _stride(self) -> int:
        """Step width, doubled with each step; after the first phase only from the fourth on, since its bounds
        are nearly right.
        """
        return self.width * 2 ** min(10, self.steps if self.number == 0 else max(0, self.steps - 2))

    def _count(self, place: int) -> int:
        self.steps += 1
        return place


def is_between(place: int, lower: int | None, upper: int | None) -> bool:
    """Whether a place lies within bounds, either of which may be missing."""
    return (lower is None or place > lower) and (upper is None or place < upper)


class RateSearch:
    """Proposes rates until the bounds of every goal are adjacent on the grid.

    Goals with shorter trials go first: their trials also hint where to look for the others.
    """

    def __init__(self, goals: list[Goal], grid: Grid) -> None:
        self.goals = goals
        self.grid = grid
        self.pursuits = [Pursuit(goal) for goal in goals]
        self.records: Records = {}
        self.place = grid.top
        self.trials = 0
        self.problems = Problems()
        # Rates whose trials have no figures; they count once another trial shows that the path works.
        self.suspects: set[int] = set()
        self.blocked: set[int] = set()

    def propose(self) -> Ask | None:
        if self.problems.are_too_many:
            return None
        for pursuit in sorted(self.pursuits, key=lambda one: one.goal.trial_seconds):
            place = self._next_place(pursuit)
            if place is not None:
                self.place = place
                return self.grid.streams, self.grid.rate(place), pursuit.phase.trial_seconds
        return None

    def record(self, trial: dict[str, Any]) -> None:
        order, self.trials = self.trials, self.trials + 1
        rate, sent = trial["offeredBitsPerSecond"], trial["sentBitsPerSecond"]
        if trial["problem"] is not None:
            if self.problems.add((self.grid.streams, rate, trial["durationSeconds"])):
                self.suspects.add(self.place)
            return
        self.blocked |= self.suspects
        self.suspects = set()
        self.problems = Problems()
        is_limited = sent < SENDER_SHARE * rate
        record = Record(
            *(trial["durationSeconds"], trial["lostPercent"], is_limited, sent, order),
            trial["receivedBitsPerSecond"],
        )
        trial["passed"] = record.is_good(self.goals[0].loss_percent)
        self.records.setdefault(self.place, []).append(record)

    def best(self) -> int | None:
        """The last of the longest trials that passed at the first goal's figure.

        The search reports its figures.
        """
        lower, _ = self._known(self.pursuits[0])
        bound = self.goals[0].loss_percent
        passed = [one for one in self._at(lower) if one.is_good(bound)]
        longest = max((one.seconds for one in passed), default=0)
        return max((one.order for one in passed if one.seconds == longest), default=None)

    def result(self) -> dict[str, Any]:
        """The first goal's figures, in the format of every search, and those of each goal."""
        goals = [self._result_of(pursuit) for pursuit in self.pursuits]
        first = {key: goals[0][key] for key in ("found", "lossBoundPercent", "limitedBy", "confirmed")}
        return {**first, "goals": goals}

    def _next_place(self, pursuit: Pursuit) -> int | None:
        """Next rate to try for a goal; None where its last phase's bounds are close enough."""
        while True:
            lower, upper = self._bounds(pursuit, pursuit.phase)
            if self._are_close(lower, upper, pursuit.phase.width):
                if pursuit.is_last:
                    return None
                pursuit.enter_next(lower, upper)
                continue
            target = pursuit.target
            if (
                target is not None
                and is_between(target, lower, upper)
                and self._classify(target, pursuit, pursuit.phase) is None
            ):
                return target
            return pursuit.aim(lower, upper, self._hint(upper, pursuit.goal), self.grid.top)

    def _are_close(self, lower: int | None, upper: int | None, width: int) -> bool:
        if lower == self.grid.top or upper == 0:
            return True
        return lower is not None and upper is not None and upper - lower <= width

    def _hint(self, upper: int | None, goal: Goal) -> int:
        """A guess from a trial beyond the path: the rate that arrived is about the rate that can arrive."""
        arrived = max((one.carried for one in self._at(upper)), default=0.0)
        return self.grid.below(arrived / (1 - goal.loss_percent / 100))

    def _bounds(self, pursuit: Pursuit, phase: Phase) -> Bounds:
        """The lowest upper bound, and the highest lower bound below it."""
        lower = None
        for place in sorted({*self.records, *self.blocked, *self.suspects}):
            is_lower = self._classify(place, pursuit, phase)
            if is_lower is False:
                return lower, place
            if is_lower is True:
                lower = place
        return lower, None

    def _classify(self, place: int, pursuit: Pursuit, phase: Phase) -> bool | None:
        is_suspect = place in self.suspects and not self.problems.are_too_many
        if is_suspect or place in self.blocked:
            return False
        if place == self.grid.top and phase is pursuit.phases[0]:
            # The allowed maximum only has to show how much arrives.
            phase = phase._replace(sum_seconds=phase.trial_seconds)
        goal = pursuit.goal
        return is_lower_bound(self._told(place, goal), goal.loss_percent, goal.exceed, phase)

    def _known(self, pursuit: Pursuit) -> Bounds:
        """Bounds of the last phase that has any: a search that ended early reports its coarser figure."""
        known = [self._bounds(pursuit, phase) for phase in reversed(pursuit.phases)]
        return next((bounds for bounds in known if bounds[0] is not None or bounds[1] == 0), known[0])

    def _at(self, place: int | None) -> list[Record]:
        return [] if place is None else self.records.get(place, [])

    def _told(self, place: int | None, goal: Goal) -> list[Record]:
        return [one for one in self._at(place) if goal.tells(one)]

    def _result_of(self, pursuit: Pursuit) -> dict[str, Any]:
        goal = pursuit.goal
        lower, upper = self._known(pursuit)
        final = pursuit.phases[-1]
        held = [one for one in self._at(lower) if one.is_good(goal.loss_percent)]
        whole = [one for one in held if one.seconds >= final.trial_seconds]
        is_open = self.problems.are_too_many or self._next_place(pursuit) is not None
        loss = conditional_loss(self._told(lower, goal), goal.exceed, final)
        return {
            "goal": goal.name,
            # The requested rate, or the sent rate if lower; up to 3 % below counts as sent.
            "found": None if lower is None else self._sent_at(lower, held),
            "lossBoundPercent": goal.loss_percent,
            "trialSeconds": goal.trial_seconds,
            "durationSumSeconds": goal.sum_seconds,
            "exceedPercent": 100 * goal.exceed,
            "conditionalBitsPerSecond": None
            if lower is None or loss is None
            else round(self.grid.rate(lower) * (1 - loss / 100)),
            "limitedBy": "trials" if is_open else self._cause(upper, goal),
            "confirmed": not is_open and lower == self._bounds(pursuit, final)[0] and len(whole) > 1,
        }

    def _sent_at(self, place: int, held: list[Record]) -> int:
        rate = self.grid.rate(place)
        return min(rate, max((round(one.sent) for one in held), default=rate))

    def _cause(self, upper: int | None, goal: Goal) -> str:
        if upper is None:
            return "range"
        bad = [one for one in self._at(upper) if not one.is_good(goal.loss_percent)]
        limited = [one for one in bad if one.is_limited and one.loss_percent <= goal.loss_percent]
        return "sender" if len(limited) * 2 > len(bad) else "path"
