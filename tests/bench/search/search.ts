/**
 * Results and time of our search for rates on simulated paths, beside FD.io's MLRsearch: the same goals (no loss, and 0.5
 * %, in trials of 1 s and a sum of 21 s; no loss in trials of 10 s and a sum of 60 s; half of which may exceed; 0.5 % of
 * width), all in one pass. A fair comparison is ours against MLRsearch with one goal a search: in one pass it lets a goal's
 * trials bound another goal's figure, as a queue's loss in trials of 10 s bounds its rate for trials of 1 s.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Searches per device, each with another seed. */
const RUNS = 101;
/** Largest allowed distance of a median from MLRsearch's. */
const GOAL = 0.01;
/** Python environment with the package; made once. */
const VENV = here("../../../.egress-bench/bench/mlrsearch");

const foundSchema = z.object({
  /** Quartiles of each goal's figure; the capacity is 1. */
  found: z.record(z.string(), z.tuple([z.number(), z.number(), z.number()])),
  /** 95 % interval of each goal's median. */
  interval: z.record(z.string(), z.tuple([z.number(), z.number()])),
  seconds: z.number(),
});
const lineSchema = z.object({
  device: z.string(),
  truth: z.record(z.string(), z.number()),
  ours: foundSchema,
  theirs: foundSchema.nullable(),
  /** MLRsearch with one goal a search. */
  alone: foundSchema.nullable(),
  /** The same, with other seeds. */
  again: foundSchema.nullable(),
});

export async function search(): Promise<string[]> {
  const { python, problem } = await pythonWithPackage();
  const { stdout } = await run(python, [...["-B", here("compare.py"), here("../../../agent"), String(RUNS)]]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
  return [
    `medians of ${RUNS} searches, in shares of the truth (middle half of them), and the median time`,
    row("path", "goal", "truth", "ours", "s", "MLRsearch", "s", "MLRsearch, one goal"),
    ...lines.flatMap(({ device, truth, ours, theirs, alone }) =>
      Object.entries(truth).map(([goal, value], index) => {
        const shares = (of: typeof theirs) =>
          of === null ? "" : share((of.found[goal] ?? [0, 0, 0]).map((one) => one / value));
        const time = (of: typeof theirs) => (of === null || index > 0 ? "" : of.seconds.toFixed(0));
        const name = index > 0 ? "" : device;
        const found = [shares(ours), time(ours), shares(theirs), time(theirs), shares(alone)];
        return row(name, goal, value.toFixed(3), ...found);
      }),
    ),
    ...verdict(lines),
    ...(problem === null ? [] : [`without MLRsearch, which could not be installed: ${problem}`]),
  ];
}

/** The goal: medians within 1 % of MLRsearch's for the same goal, or within the resolution of so many searches. */
function verdict(lines: readonly z.infer<typeof lineSchema>[]): string[] {
  const medians = lines.flatMap(({ device, truth, ours, theirs, alone, again }) =>
    Object.entries(truth).flatMap(([goal, value]) => {
      const [own, other, single, second] = [ours, theirs, alone, again].map((of) => of?.found[goal]?.[1]);
      const intervals = [ours, alone].map((of) => of?.interval[goal]);
      return own === undefined || other === undefined || single === undefined || second === undefined
        ? []
        : [{ name: `${device}, ${goal}`, value, own, other, single, second, meet: meet(intervals) }];
    }),
  );
  const near = (one: number, other: number) => Math.abs(one / other - 1) <= GOAL;
  const beyond = medians.filter(({ own, single }) => !near(own, single));
  const neither = beyond.filter((one) => !one.meet);
  const withTruth = (key: "own" | "other" | "single") =>
    medians.filter((one) => near(one[key], one.value)).length;
  const apart = (of: (one: (typeof medians)[number]) => readonly [number, number]) => {
    const far = medians.filter((one) => !near(...of(one)));
    const named = far.map(
      (one) =>
        `${one.name} ${of(one)
          .map((value) => value.toFixed(3))
          .join(" and ")}`,
    );
    return [`${medians.length - far.length} of ${medians.length} within 1 %`, ...named].join("; ");
  };
  const itself = apart(({ single, second }) => [single, second]);
  const inOnePass = `MLRsearch's own in one pass and with one goal: ${apart(({ other, single }) => [other, single])}`;
  return medians.length === 0
    ? []
    : [
        `${medians.length - beyond.length} of ${medians.length} medians within 1 % of MLRsearch's with one goal a search; of the other ${beyond.length} the medians' 95 % intervals meet in ${beyond.length - neither.length}`,
        ...neither.map(
          ({ name, own, single }) =>
            `neither: ${name}: ours ${own.toFixed(3)}, MLRsearch ${single.toFixed(3)}`,
        ),
        `within 1 % of the truth: ours ${withTruth("own")}, MLRsearch ${withTruth("other")}, with one goal a search ${withTruth("single")}, of ${medians.length}`,
        `within 1 % of MLRsearch's in one pass: ${medians.filter(({ own, other }) => near(own, other)).length} of ${medians.length}; ${inOnePass}`,
        `MLRsearch with one goal a search, beside itself with other seeds: ${itself}`,
      ];
}

function meet([one, other]: readonly (readonly [number, number] | undefined)[]): boolean {
  return one !== undefined && other !== undefined && one[0] <= other[1] && other[0] <= one[1];
}

/** A median with its quartiles: `0.998 (0.994-0.999)` */
function share([low = 0, median = 0, high = 0]: readonly number[]): string {
  return `${median.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)})`;
}

function row(...[name, goal, truth, ours, oursTime, theirs, theirsTime, alone]: readonly string[]): string {
  return `${name?.padEnd(21)} ${goal?.padEnd(4)} ${truth?.padEnd(6)} ${ours?.padEnd(20)} ${oursTime?.padStart(4)}  ${theirs?.padEnd(20)} ${theirsTime?.padStart(4)}  ${alone}`.trimEnd();
}

/** The environment's Python; or the system's, with the reason, if the package registry does not answer. */
async function pythonWithPackage(): Promise<{ python: string; problem: string | null }> {
  const python = `${VENV}/bin/python`;
  const done = `${VENV}/installed`;
  try {
    if (!existsSync(done)) {
      await run("python3", ["-m", "venv", "--clear", VENV]);
      const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
      await run(python, ["-m", "pip", "install", ...options, "-r", here("requirements.txt")]);
      await run("touch", [done]);
    }
    return { python, problem: null };
  } catch (error) {
    return {
      python: "python3",
      problem:
        String((error as Error).message)
          .trim()
          .split("\n")
          .at(-1) ?? "",
    };
  }
}
