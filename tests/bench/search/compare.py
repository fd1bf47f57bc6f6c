"""Ours against the MLRsearch package on simulated devices: the JSON lines that search.ts prints as a table.

usage: compare.py AGENT_DIRECTORY RUNS

A line per device: each goal's truth, and of each search the median figure, its quartiles and 95 % interval, and the median of
the time. `alone` is the package with one goal a search: in a search of several, one goal's trials also bound another's figure.
`again` is that with other seeds: how far the package is from itself by chance.
Without the package its figures are null.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
from typing import Any, Tuple

sys.path.insert(0, sys.argv[1])

from devices import DEVICES, PACKETS, Device
from probes.load_bounds import Goal, Grid
from probes.rate_search import RateSearch
from probes.search_logic import drive

try:
    import MLRsearch
except ImportError:
    MLRsearch = None

LEAST, MOST = 0.005, 5.0
# Name, percent of loss, and seconds of a trial and of all trials at a rate.
Goals = Tuple[Tuple[str, float, float, float], ...]
GOALS: Goals = (("ndr", 0.0, 1.0, 21.0), ("pdr", 0.5, 1.0, 21.0), ("long", 0.0, 10.0, 60.0))
EXCEED, WIDTH = 0.5, 0.005
# Seconds of a trial beyond its test, for either search: connecting, and fetching the counters.
OVERHEAD_SECONDS = 0.5
MAX_TRIALS = 400
# Bits of a packet: our search takes whole bit rates.
BITS = 1400 * 8


class Clock:
    """A device with its time and randomness: the same for either search, as far as possible."""

    def __init__(self, device: Device, seed: int) -> None:
        self.device, self.chance = device, random.Random(seed)
        self.seconds = self.chance.uniform(0, 60)
        self.began = self.seconds

    def lose(self, seconds: float, load: float) -> float:
        lost = self.device(self.seconds, seconds, load, self.chance)
        self.seconds += seconds + OVERHEAD_SECONDS
        return min(1.0, max(0.0, lost))

    @property
    def taken(self) -> float:
        return self.seconds - self.began


def ours(device: Device, seed: int) -> tuple[dict[str, float | None], float]:
    clock, unit = Clock(device, seed), PACKETS * BITS

    def trial(streams: int, rate: int | None, seconds: float) -> dict[str, Any]:
        lost = clock.lose(seconds, (rate or 0) / unit)
        return {
            "offeredBitsPerSecond": rate,
            "streams": streams,
            "durationSeconds": seconds,
            "sentBitsPerSecond": rate,
            "lostPercent": 100 * lost,
            "passed": False,
            "problem": None,
        }

    search = RateSearch(
        [Goal(*goal, EXCEED) for goal in GOALS],
        Grid(round(LEAST * unit), round(MOST * unit), 1, 100 * WIDTH),
    )
    drive(search, trial, MAX_TRIALS)
    found = {one["goal"]: one["found"] for one in search.result()["goals"]}
    return {name: None if rate is None else rate / unit for name, rate in found.items()}, clock.taken


def alone(device: Device, seed: int) -> tuple[dict[str, float | None], float]:
    found, seconds = zip(*(theirs(device, seed, (goal,)) for goal in GOALS))
    return {name: rate for one in found for name, rate in one.items()}, sum(seconds)


def theirs(device: Device, seed: int, goals: Goals = GOALS) -> tuple[dict[str, float | None], float]:
    clock = Clock(device, seed)

    class Measurer(MLRsearch.AbstractMeasurer):
        def measure(self, intended_duration: float, intended_load: float) -> Any:
            lost = clock.lose(intended_duration, intended_load)
            offered = round(intended_load * intended_duration * PACKETS)
            # A share below half a packet counts as none.
            return MLRsearch.MeasurementResult(
                intended_duration=intended_duration,
                intended_load=intended_load,
                offered_count=offered,
                loss_count=round(lost * offered),
            )

    config = MLRsearch.Config()
    config.goals = [
        MLRsearch.SearchGoal(
            loss_ratio=percent / 100,
            exceed_ratio=EXCEED,
            relative_width=WIDTH,
            initial_trial_duration=1.0,
            final_trial_duration=seconds,
            duration_sum=sum_seconds,
            fail_fast=False,
        )
        for _, percent, seconds, sum_seconds in goals
    ]
    config.min_load, config.max_load = LEAST, MOST
    config.warmup_duration = 0.0
    config.search_duration_max = 1e6
    search = MLRsearch.MultipleLossRatioSearch(config)
    results = search.search(measurer=Measurer(), debug=lambda _: None)
    bounds = [result.relevant_lower_bound for result in results.values()]
    return {name: None if low is None else float(low) for (name, *_), low in zip(goals, bounds)}, clock.taken


def truth(device: Device, loss: float, seconds: float) -> float:
    """The highest load at which no more trials than the exceed ratio lose more, by 1,000 trials per load."""
    chance = random.Random(1)

    def holds(load: float) -> bool:
        bad = sum(
            device(chance.uniform(0, 600), seconds, load, chance) > loss + 1e-12 for _ in range(1000)
        )
        return bad <= 1000 * EXCEED

    low, high = LEAST, MOST
    while high / low > 1.0005:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def summary(search: Any, device: Device, runs: int, first: int = 0) -> dict[str, Any] | None:
    if search is not ours and MLRsearch is None:
        return None
    answers = [search(device, seed) for seed in range(first, first + runs)]
    # Ranks of a median's 95 % interval, by the binomial's normal approximation.
    beside = math.ceil(0.98 * math.sqrt(runs))
    found = {name: sorted(answer[name] or 0.0 for answer, _ in answers) for name, *_ in GOALS}
    return {
        "found": {
            name: [values[len(values) // 4], statistics.median(values), values[3 * len(values) // 4]]
            for name, values in found.items()
        },
        "interval": {
            name: [values[max(0, runs // 2 - beside)], values[min(runs - 1, runs // 2 + beside)]]
            for name, values in found.items()
        },
        "seconds": statistics.median(seconds for _, seconds in answers),
    }


def main() -> None:
    for name, device in DEVICES.items():
        truths = {goal: truth(device, percent / 100, seconds) for goal, percent, seconds, _ in GOALS}
        line = {"device": name, "truth": truths}
        for key, search in (("ours", ours), ("theirs", theirs), ("alone", alone)):
            line[key] = summary(search, device, int(sys.argv[2]))
        line["again"] = summary(alone, device, int(sys.argv[2]), int(sys.argv[2]))
        print(json.dumps(line), flush=True)


main()
