"""Parts that searches share: pure logic on each trial's figures; search.py runs the trials.

A search proposes (streams, offered bits per second or None for TCP's own pace, seconds) until it proposes
None. A trial is an entry of `trials` as bench/results/measurement.ts defines it; `record` decides its
`passed`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple

    Ask = Tuple[int, Optional[int], float]

# Trials without figures: this many at one point count as a failure there, and this many in a row end the search.
PROBLEMS_AT_POINT = 2
PROBLEMS_IN_ROW = 4


def drive(
    search: Any,
    run_trial: Callable[[int, int | None, float], dict[str, Any]],
    max_trials: int,
    is_time_left: Callable[[], bool] = lambda: True,
) -> list[dict[str, Any]]:
    """Runs trials until the search is done or must stop; returns them in order."""
    trials: list[dict[str, Any]] = []
    while len(trials) < max_trials and is_time_left():
        ask = search.propose()
        if ask is None:
            break
        trials.append(run_trial(*ask))
        search.record(trials[-1])
    return trials


class Problems:
    """Counts trials without figures since the last one with figures.

    A flood may kill iperf3's own control connection.
    """

    def __init__(self) -> None:
        self.in_row = 0
        self.at_point: tuple[Ask | None, int] = (None, 0)

    def add(self, ask: Ask) -> bool:
        """Whether this point has used up its tries."""
        self.in_row += 1
        point, times = self.at_point
        self.at_point = (ask, times + 1 if point == ask else 1)
        return self.at_point[1] >= PROBLEMS_AT_POINT

    @property
    def are_too_many(self) -> bool:
        return self.in_row >= PROBLEMS_IN_ROW
