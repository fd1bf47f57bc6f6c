#!/usr/bin/env python3
"""usage: search.py --goal ndr|pdr|ndr-pdr|peak --address A --port P --direction egress|ingress --duration SECONDS
                 [--omit 0] [--seconds 3600] [--max-trials 24] [--precision-percent 1]
       rates: --min-rate BITS --max-rate BITS [--streams 1] [--bytes 0] [--loss-percent 0] [--pdr-loss-percent 0.5]
              [--duration-sum 21] [--exceed-percent 50] [--more-goals LOSS:TRIAL:SUM:EXCEED,...]
       peak:  [--confirmations 1] [--max-streams 128]

Runs the contract's trial (iperf3's, contract.json) again and again and prints one JSON document, of at most 48 KB: what
was found, all trials, and of the best trial the tool's document, reduced as agent.py reduces it, and the packets a
second of all hosts.

ndr, pdr: the highest UDP rate, of all streams together, that loses at most --loss-percent of its datagrams, as
rate_search.py has it; ndr-pdr: both in one pass, pdr with --pdr-loss-percent; --bytes 0 leaves the size of datagrams to
the tool. A rate is tried for --duration-sum seconds, of which --exceed-percent may lose more. --more-goals are found in
the same pass: percent of loss, seconds of a trial and of all trials at a rate, percent of these that may lose more.
peak: the number of TCP streams that carry most.

No trial is started that would not be over in --seconds. A trial that the tool had a problem with has no figures
and says why; a busy server is asked again first. Exit status 0 also where nothing was found: that is a result.
127: the tool is not there. 2: bad options.
"""

from __future__ import annotations

import re
import sys
import time

from common.contract import CONTRACT, filled, options_of
from common.documents import PROTOCOL_VERSION, print_document
from common.errors import BadInput
from common.json_reducer import find_object, reduce_json
from common.limits import MAX_STDOUT_BYTES
from common.options import CASE_DURATION, DURATION, PORT, TEXT, options
from common.texts import brief, encode
from host.processes import find_executable
from probes.arrivals import Arrivals
from probes.load_bounds import Goal, Grid
from probes.packet_counts import PacketCounts
from probes.peak_search import PeakSearch
from probes.rate_search import RateSearch
from probes.search_logic import drive
from probes.trial_figures import TrialProblem, problem_of, tcp_figures, udp_figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRIAL = CONTRACT["trial"]
PROGRAM: str = TRIAL["program"]
# Seconds of a trial beyond its test: connecting, exchanging results, and a margin for a slow end.
TRIAL_SETUP_SECONDS = 2
TRIAL_MARGIN_SECONDS = 10
# Most entries of the best trial's series, so that all trials and 128 streams fit beside it.
MAX_INTERVALS = 60
BUSY_TRIES = 8
BUSY_PAUSE_SECONDS = 0.5
MIN_PROBLEM_LENGTH, MAX_PROBLEM_LENGTH = 40, 160
COMMAND_NOT_FOUND = 127


class Trials:
    """Runs trials; keeps each one's reduced document, and packets a second."""

    def __init__(self, given: dict[str, str]) -> None:
        self.given = given
        self.is_udp = given["goal"] != "peak"
        longest = max([float(given["duration"]), *(goal.trial_seconds for goal in more_goals(given))])
        self.test_seconds = longest + float(given["omit"])
        self.documents: list[dict[str, Any] | None] = []
        self.packets = PacketCounts(given["address"], given["direction"], self.is_udp)
        self.packet_rates: list[dict[str, float | None]] = []

    def run(self, streams: int, rate: int | None, seconds: float) -> dict[str, Any]:
        """One trial, in search_logic's format."""
        trial: dict[str, Any] = {
            "offeredBitsPerSecond": rate,
            "streams": streams,
            "durationSeconds": seconds,
            "sentBitsPerSecond": None,
            "receivedBitsPerSecond": None,
            "packets": None,
            "lostPackets": None,
            "lostPercent": None,
            "passed": False,
            "problem": None,
        }
        document = None
        self.packets.begin()
        try:
            arrivals = Arrivals(self.given["address"], self.given["direction"]) if self.is_udp else None
            document = self._document(self._command(streams, rate, int(seconds)))
            if arrivals is None:
                trial.update(tcp_figures(document))
            else:
                lost = arrivals.lost()
                extra = self._extra_seconds(arrivals)
                trial.update(udp_figures(document, lost, extra, arrivals.is_of_test))
        except TrialProblem as problem:
            trial["problem"] = brief(str(problem), MAX_PROBLEM_LENGTH)
            document = None
        self.documents.append(None if document is None else reduce_json(document, TRIAL["reducer"]))
        self.packet_rates.append(self.packets.rates(seconds + float(self.given["omit"])))
        return trial

    def _extra_seconds(self, arrivals: Arrivals) -> float:
        """Time by which the server receives longer: from its word to begin to the client's to end."""
        return arrivals.round_trip if self.given["direction"] == "egress" else 0.0

    def _command(self, streams: int, rate: int | None, seconds: int) -> list[str]:
        given = self.given
        omit, size = float(given["omit"]), int(given["bytes"])
        return filled(
            TRIAL["command"],
            {
                "address": given["address"],
                "port": given["port"],
                "seconds": seconds,
                "interval": -(-seconds // MAX_INTERVALS),
                "omit": given["omit"] if omit > 0 else None,
                "streams": streams if streams > 1 else None,
                "reverse": given["direction"] == "ingress",
                "bothWays": False,
                "udp": self.is_udp,
                "serverOutput": self.is_udp and given["direction"] == "egress",
                "rate": (rate or 0) // streams if self.is_udp else None,
                "bytes": size if self.is_udp and size > 0 else None,
                "congestion": None,
            },
        )

    def _document(self, command: list[str]) -> dict[str, Any]:
        """The tool's document, once the server is no longer busy. Raises TrialProblem."""
        problem = ""
        for attempt in range(BUSY_TRIES):
            document, words = self._start(command)
            problem = problem_of(document, words)
            if problem is None:
                return document or {}
            if not re.search(TRIAL["busy"], problem):
                break
            if attempt < BUSY_TRIES - 1:
                time.sleep(BUSY_PAUSE_SECONDS)
        raise TrialProblem(problem)

    def _start(self, command: list[str]) -> tuple[dict[str, Any] | None, str]:
        """The tool's document, and its other output."""
        import subprocess

        seconds = self.test_seconds + TRIAL_MARGIN_SECONDS
        try:
            ended = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise TrialProblem(f"{PROGRAM} was still running after {seconds:g} s and was ended") from None
        output = ended.stdout.decode("utf-8", "replace")
        words = f"{output[-2000:]}\n{ended.stderr.decode('utf-8', 'replace')[-2000:]}"
        return find_object(
            output
        ), f"{words}\n{PROGRAM}: ended with status {ended.returncode}, without figures"


def fit(document: dict[str, Any]) -> dict[str, Any]:
    """Cuts the document to the report's limit: the series goes first, then the texts of problems."""
    if len(encode(document)) > MAX_STDOUT_BYTES and document[PROGRAM] is not None:
        document = {**document, PROGRAM: {**document[PROGRAM], "intervals": []}}
    if len(encode(document)) > MAX_STDOUT_BYTES:
        for trial in document["trials"]:
            trial["problem"] = trial["problem"] and brief(trial["problem"], MIN_PROBLEM_LENGTH)
    return document


def read_options(arguments: list[str]) -> dict[str, str]:
    given = options(
        arguments,
        {
            "goal": (None, *TEXT),
            "address": (None, *TEXT),
            "port": PORT,
            "direction": (None, *TEXT),
            "duration": CASE_DURATION,
            "omit": ("0", 0, 60),
            "seconds": ("3600", *DURATION[1:]),
            **options_of("search"),
            "min-rate": ("0", 0, 1e12),
            "max-rate": ("0", 0, 1e12),
            "bytes": ("0", 0, 65507),
            "more-goals": ("", *TEXT),
        },
    )
    for name in ("max-trials", "confirmations", "min-rate", "max-rate", "streams", "bytes", "max-streams"):
        if "." in given[name]:
            raise BadInput(f"--{name}: expected a whole number, got {given[name]}")
    for name, known in (("goal", CONTRACT["searchGoals"]), ("direction", ("egress", "ingress"))):
        if given[name] not in known:
            raise BadInput(f"--{name}: expected one of {', '.join(known)}, got {given[name]}")
    if given["goal"] != "peak" and not 0 < float(given["min-rate"]) < float(given["max-rate"]):
        raise BadInput(
            f"--min-rate: expected a rate above 0 and below --max-rate ({given['max-rate']}), got {given['min-rate']}"
        )
    more_goals(given)
    return given


def search_of(given: dict[str, str]) -> RateSearch | PeakSearch:
    precision, seconds = float(given["precision-percent"]), float(given["duration"])
    if given["goal"] == "peak":
        most, confirmations, trials = (
            int(given[name]) for name in ("max-streams", "confirmations", "max-trials")
        )
        return PeakSearch(most, precision, confirmations, seconds, trials)
    first, *others = given["goal"].split("-")
    tries = (seconds, float(given["duration-sum"]), float(given["exceed-percent"]) / 100)
    goals = [
        Goal(first, float(given["loss-percent"]), *tries),
        *(Goal(name, float(given["pdr-loss-percent"]), *tries) for name in others),
        *more_goals(given),
    ]
    return RateSearch(
        goals, Grid(int(given["min-rate"]), int(given["max-rate"]), int(given["streams"]), precision)
    )


def more_goals(given: dict[str, str]) -> list[Goal]:
    """Further goals. Raises BadInput."""
    try:
        parts = [
            [float(value) for value in text.split(":")]
            for text in given.get("more-goals", "").split(",")
            if text
        ]
        return [
            Goal("pdr" if loss > 0 else "ndr", loss, trial, total, exceed / 100)
            for loss, trial, total, exceed in parts
        ]
    except ValueError:
        raise BadInput(f"--more-goals: expected LOSS:TRIAL:SUM:EXCEED, got {given['more-goals']}") from None


def run_search(given: dict[str, str]) -> dict[str, Any]:
    search, trials = search_of(given), Trials(given)
    end = time.monotonic() + float(given["seconds"]) - trials.test_seconds - TRIAL_SETUP_SECONDS
    ran = drive(
        search,
        trials.run,
        int(given["max-trials"]),
        lambda: not trials.documents or time.monotonic() < end,
    )
    best = search.best()
    return {
        "version": PROTOCOL_VERSION,
        "goal": given["goal"].split("-", maxsplit=1)[0],
        **search.result(),
        "trials": ran,
        PROGRAM: None if best is None else trials.documents[best],
        **({} if best is None else {"packetRates": trials.packet_rates[best]}),
    }


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    try:
        given = read_options(arguments)
    except BadInput as error:
        print(f"search.py: {error}", file=sys.stderr)
        return 2
    if find_executable(PROGRAM) is None:
        print(f"search.py: {PROGRAM}: not found", file=sys.stderr)
        return COMMAND_NOT_FOUND
    print_document(fit(run_search(given)))
    return 0
