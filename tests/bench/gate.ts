/**
 * How often the regression gate alarms where nothing changed, and how often it sees what did: simulated, 28 figures a
 * comparison, whose repetitions scatter normally. And how often intervals cover the mean under the rule that ends
 * repetitions, against looking after each whether the interval is narrow yet.
 *
 * @module
 */
import { meanConfidence95, repetitionsNeeded } from "../../bench/statistics/sample.ts";
import { summarize } from "../../report/comparison/estimate.ts";
import { judgeFigures } from "../../report/comparison/gate.ts";
import { randomFrom } from "../fixtures/results/hand-made.ts";

const RUNS = 2000;
const FIGURES = 28;
const TOLERANCE_PERCENT = 1;

const random = randomFrom(1);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const sample = (n: number, mean: number, scatterPercent: number) =>
  summarize(Array.from({ length: n }, () => mean * (1 + (scatterPercent / 100) * normal())));

/** Share of comparisons in which the first `changed` figures, that got worse by so much, were called worse; any other. */
function alarms(n: number, scatterPercent: number, dropPercent: number, changed: number, of = FIGURES) {
  let [seen, falseAlarms] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    const pairs = Array.from({ length: of }, (_, index) => ({
      metric: "throughput" as const,
      before: sample(n, 100, scatterPercent),
      after: sample(n, index < changed ? 100 - dropPercent : 100, scatterPercent),
    }));
    const worse = judgeFigures(pairs, TOLERANCE_PERCENT).map(({ verdict }) => verdict === "worse");
    seen += worse.slice(0, changed).filter(Boolean).length / Math.max(1, changed);
    falseAlarms += worse.slice(changed).some(Boolean) ? 1 : 0;
  }
  return { seen: seen / RUNS, falseAlarms: falseAlarms / RUNS };
}

function coverage(scatterPercent: number, most: number) {
  const [least, within] = [3, 5];
  let [ours, looking, needed] = [0, 0, 0];
  for (let run = 0; run < RUNS; run++) {
    const values = Array.from({ length: most }, () => 100 + scatterPercent * normal());
    const covers = ({ low, high }: { low: number; high: number }) => low <= 100 && 100 <= high;
    const count = Math.min(most, repetitionsNeeded(values.slice(0, least), within));
    needed += count;
    ours += covers(meanConfidence95(values.slice(0, count), least)) ? 1 : 0;
    const stop = values.findIndex((_, index) => {
      const { low, high } =
        index + 1 < 2 ? { low: 0, high: 1e9 } : meanConfidence95(values.slice(0, index + 1));
      return high - low <= 2 * within;
    });
    looking += covers(meanConfidence95(values.slice(0, stop + 1 || most))) ? 1 : 0;
  }
  return { ours: ours / RUNS, looking: looking / RUNS, needed: needed / RUNS };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(8);

export async function gate(): Promise<string[]> {
  const lines = [1, 3, 5, 10].flatMap((n) =>
    [2, 5].map((scatter) => {
      const none = alarms(n, scatter, 0, 0).falseAlarms;
      const cells = [
        alarms(n, scatter, 10, 1).seen,
        alarms(n, scatter, 20, 1).seen,
        alarms(n, scatter, 20, 7).seen,
        alarms(n, scatter, 20, 1, 1).seen,
      ];
      return `${String(n).padStart(2)}  ${`${scatter} %`.padStart(7)}  ${percent(none)}   ${cells.map(percent).join("  ")}`;
    }),
  );
  const covered = [2, 5, 10].flatMap((scatter) =>
    [10, 100].map((most) => {
      const { ours, looking, needed } = coverage(scatter, most);
      return `${`${scatter} %`.padStart(7)}  ${String(most).padStart(4)}  ${percent(ours)}  ${percent(looking)}  ${needed.toFixed(1).padStart(6)}`;
    }),
  );
  return [
    `share of ${RUNS} comparisons of ${FIGURES} figures with an alarm where nothing changed, and of figures that got worse that were seen`,
    " n  scatter  no change   one 10 %  one 20 %  7 by 20 %  one of one 20 %",
    ...lines,
    "",
    `intervals that cover the mean, of repetitions until within 5 % (3 at least)`,
    "scatter  most   by rule   looking  needed",
    ...covered,
  ];
}
