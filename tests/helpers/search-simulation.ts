/** Searches on simulated paths, many in one Python process. */
import { type Search, searchSchema } from "../../bench/results/index.ts";
import { evaluate } from "./agent-host.ts";

/**
 * Rate trials lose what exceeds `capacity`, with `noise` (a share) on it; the sender cannot exceed `sender`. A
 * share `hiccups` of the trials loses a share `hiccup` at any rate. A queue of `buffer` bits holds what exceeds the capacity.
 * Peak trials carry `each` per stream up to `total`, and lose a share `decline` for each stream beyond `knee`; `scatter` is the
 * standard deviation of a trial, as a share.
 * Trials at the positions in `problems` have no figures.
 */
const simulation = `
import random
from probes.load_bounds import Goal, Grid
from probes.peak_search import PeakSearch
from probes.rate_search import RateSearch
from probes.search_logic import drive

def simulate(path, goal):
    dice, count = random.Random(path.get("seed", 0)), iter(range(1000))
    def noisy(value):
        return value * (1 + path.get("noise", 0) * dice.uniform(-1, 1) + dice.gauss(0, path.get("scatter", 0)))
    def trial(streams, rate, seconds):
        problem = "simulated" if next(count) in path.get("problems", []) or path.get("dead") else None
        one = dict(offeredBitsPerSecond=rate, streams=streams, durationSeconds=seconds, sentBitsPerSecond=None, receivedBitsPerSecond=None,
                   packets=None, lostPackets=None, lostPercent=None, passed=False, problem=problem)
        if problem is None and goal == "peak":
            carried = min(streams * path["each"], path["total"])
            carried *= 1 - path["decline"] * max(0, streams - path["knee"])
            one["receivedBitsPerSecond"] = round(noisy(carried))
        elif problem is None:
            sent = min(rate, path.get("sender", rate))
            received = min(sent, noisy(path["capacity"]))
            # A residual loss hits a trial by chance: the more datagrams it has, the surer.
            packets = sent * seconds / 8e3
            received -= sent / packets * (dice.random() < 1 - (1 - path.get("residual", 0)) ** packets)
            received *= 1 - path.get("hiccup", 0) * (dice.random() < path.get("hiccups", 0))
            held = min(sent - received, path.get("buffer", 0) / seconds)
            one.update(sentBitsPerSecond=sent, receivedBitsPerSecond=round(received),
                       lostPercent=100 * (sent - received - held) / sent)
        return one
    return trial

def rates(given):
    tries = (given.get("seconds", 1), given.get("sum", 21), given.get("exceed", 50) / 100)
    goals = [Goal("ndr", given.get("loss_percent", 0), *tries)]
    if "pdr_loss_percent" in given:
        goals.append(Goal("pdr", given["pdr_loss_percent"], *tries))
    goals.extend(Goal(*more) for more in given.get("more", []))
    grid = Grid(given["least"], given["most"], given.get("streams", 1), given.get("precision_percent", 1))
    return RateSearch(goals, grid)

def answer(case):
    search = PeakSearch(**case["search"], max_trials=case["max_trials"]) if case["goal"] == "peak" else rates(case["search"])
    trials = drive(search, simulate(case["path"], case["goal"]), case["max_trials"])
    return dict(search.result(), goal=case["goal"], trials=trials, best=search.best())
`;

type Answer = Search & { readonly best: number | null };

/** The searches' documents, each in the results' form. */
export function searches(cases: readonly object[]): Answer[] {
  const run = `(lambda space: (exec(${JSON.stringify(simulation)}, space), list(map(space["answer"], data)))[1])({})`;
  const answers = evaluate(run, cases) as { best: number | null }[];
  return answers.map((answer) => ({ ...searchSchema.parse(answer), best: answer.best }));
}
