import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./tests/helpers/longest-first.ts";
import { sampleFactor } from "./tests/helpers/samples.ts";

interface ProjectArgs {
  /** A directory of tests/. */
  readonly name: string;
  /** The longest that one test or hook may take. */
  readonly seconds: number;
  /** Test files at a time. */
  readonly workers: number | string;
  /** Whether each file loads all modules for itself. Files that change nothing global need not, and are quicker. */
  readonly isolate: boolean;
  /** Projects of one order run side by side, those of a higher one afterwards. */
  readonly order: number;
}

/** Half of what a file's start takes is to load the SDK; what this program does without, its tests do. */
const quickStart = ["--import", fileURLToPath(new URL("stacks/quick-start.ts", import.meta.url))];

/** Files of one process leave more behind than a young generation of Node's usual size holds. */
const shared = ["--max-semi-space-size=64"];

function project({ name, seconds, workers, isolate, order }: ProjectArgs): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      testTimeout: seconds * 1000 * sampleFactor(),
      hookTimeout: seconds * 1000,
      setupFiles: process.env.EGRESS_BENCH_SAMPLES === undefined ? [] : ["tests/helpers/more-samples.ts"],
      maxWorkers: workers,
      isolate,
      execArgv: isolate ? quickStart : shared,
      // An awaited result comes at once, except on a busy machine.
      expect: { poll: { timeout: 20_000 } },
      sequence: { groupOrder: order },
      globalSetup: [
        ...(["lab", "agent"].includes(name) ? ["tests/helpers/left-behind.ts"] : []),
        ...(["engine", "release", "languages"].includes(name) ? ["tests/helpers/made-once.ts"] : []),
      ],
    },
  };
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project({ name: "unit", seconds: 15, workers: "100%", isolate: false, order: 0 }),
      // One process, so that its files see each other's deployments. Projects of other workers are of another order.
      project({ name: "components", seconds: 30, workers: 1, isolate: false, order: 1 }),
      // Files of the lab wait more than they work, and no file judges a time: five at once fill two cores.
      project({ name: "agent", seconds: 180, workers: 5, isolate: true, order: 2 }),
      project({ name: "programs", seconds: 60, workers: 5, isolate: false, order: 2 }),
      project({ name: "engine", seconds: 180, workers: 5, isolate: true, order: 2 }),
      project({ name: "browser", seconds: 60, workers: 5, isolate: true, order: 2 }),
      project({ name: "lab", seconds: 180, workers: 5, isolate: true, order: 2 }),
      // Only `npm test -- --all` runs these two.
      project({ name: "release", seconds: 300, workers: 3, isolate: true, order: 3 }),
      project({ name: "guest", seconds: 300, workers: 3, isolate: true, order: 3 }),
      // Go builds what it needs, a minute at first: `npm test -- --project languages`.
      project({ name: "languages", seconds: 600, workers: 1, isolate: true, order: 4 }),
      // A whole system takes an emulated processor a minute to boot: `npm run guest` has these, and `npm test` has not.
      project({ name: "system", seconds: 1800, workers: 1, isolate: true, order: 4 }),
    ],
  },
});
