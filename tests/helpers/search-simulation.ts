/** Searches on simulated paths, many of them in one start of Python. */
import { type Search, searchSchema } from "../../bench/results/index.ts";
import { evaluate } from "./agent-host.ts";

/**
 * Rate trials lose what exceeds `capacity`, with `noise` (a share) on it; the sender cannot do more than `sender`.
 * Peak trials carry `each` a stream up to `total`, and lose a share `decline` for each stream beyond `knee`.
 * Trials at the places in `problems` have no figures.
 */
const simulation = `
import random
from probes.search_logic import PeakSearch, RateSearch, drive

def simulate(path, goal):
    dice, count = random.Random(path.get("seed", 0)), iter(range(1000))
    def noisy(value):
        return value * (1 + path.get("noise", 0) * dice.uniform(-1, 1))
    def trial(streams, rate):
        problem = "simulated" if next(count) in path.get("problems", []) or path.get("dead") else None
        one = dict(offeredBitsPerSecond=rate, streams=streams, sentBitsPerSecond=None, receivedBitsPerSecond=None,
                   packets=None, lostPackets=None, lostPercent=None, passed=False, problem=problem)
        if problem is None and goal == "peak":
            carried = min(streams * path["each"], path["total"])
            carried *= 1 - path["decline"] * max(0, streams - path["knee"])
            one["receivedBitsPerSecond"] = round(noisy(carried))
        elif problem is None:
            sent = min(rate, path.get("sender", rate))
            received = min(sent, noisy(path["capacity"]))
            one.update(sentBitsPerSecond=sent, receivedBitsPerSecond=round(received),
                       lostPercent=100 * (sent - received) / sent)
        return one
    return trial

def answer(case):
    search = PeakSearch(**case["search"]) if case["goal"] == "peak" else RateSearch(**case["search"])
    trials = drive(search, simulate(case["path"], case["goal"]), case["max_trials"])
    return dict(search.result(), goal=case["goal"], trials=trials, best=search.best())
`;

type Answer = Search & { readonly best: number | null };

/** The searches' documents, each of the results' shape. */
export function searches(cases: readonly object[]): Answer[] {
  const run = `(lambda space: (exec(${JSON.stringify(simulation)}, space), list(map(space["answer"], data)))[1])({})`;
  const answers = evaluate(run, cases) as { best: number | null }[];
  return answers.map((answer) => ({ ...searchSchema.parse(answer), best: answer.best }));
}
