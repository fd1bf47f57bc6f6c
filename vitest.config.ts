import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./tests/helpers/longest-first.ts";
import { sampleFactor } from "./tests/helpers/samples.ts";

interface ProjectArgs {
  /** Name of a directory in tests/. */
  readonly name: string;
  /** Time limit in seconds of a test or hook, which ends what hangs: several times what a busy machine takes. */
  readonly seconds: number;
  /** Test files at a time. */
  readonly workers: number | string;
  /** Whether each file loads all modules for itself. Files without global changes need not, and are faster. */
  readonly isolate: boolean;
  /** Order: projects with the same one run side by side, higher ones afterwards. */
  readonly order: number;
}

/** A large young generation: files in one process leave more garbage than Node's default one holds. */
const shared = ["--max-semi-space-size=64"];

/** The library by its name, as the component plugin imports it: the sources instead of a build. */
const library = (find: RegExp, path: string) => ({
  find,
  replacement: fileURLToPath(new URL(path, import.meta.url)),
});

function project({ name, seconds, workers, isolate, order }: ProjectArgs): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      testTimeout: seconds * 1000 * sampleFactor(),
      // A hook may make a whole deployment.
      hookTimeout: 3 * seconds * 1000,
      setupFiles: process.env.EGRESS_BENCH_SAMPLES === undefined ? [] : ["tests/helpers/more-samples.ts"],
      maxWorkers: workers,
      isolate,
      execArgv: isolate ? [] : shared,
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
  resolve: {
    alias: [
      library(/^egress-bench$/, "components/index.ts"),
      library(/^egress-bench\/bench$/, "bench/index.ts"),
      library(/^egress-bench\/testing$/, "components/testing.ts"),
      library(/^egress-bench\/(?=aws$|azure$|local$)/, "components/"),
    ],
  },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project({ name: "unit", seconds: 60, workers: "100%", isolate: false, order: 0 }),
      // One process, so that its files share deployments. Projects with other workers have another order.
      project({ name: "components", seconds: 60, workers: 1, isolate: false, order: 1 }),
      // Lab files mostly wait, and no file judges a time: five at once fill two cores.
      project({ name: "agent", seconds: 180, workers: 5, isolate: true, order: 2 }),
      project({ name: "programs", seconds: 180, workers: 5, isolate: false, order: 2 }),
      project({ name: "engine", seconds: 180, workers: 5, isolate: true, order: 2 }),
      project({ name: "lab", seconds: 180, workers: 5, isolate: true, order: 2 }),
      // A browser computes all the time: beside the five above, drawing a page may take a minute.
      project({ name: "browser", seconds: 180, workers: 2, isolate: true, order: 3 }),
      // What documents say: when one changed, and by `npm test -- --all`.
      project({ name: "documents", seconds: 120, workers: 2, isolate: false, order: 4 }),
      // Only `npm test -- --all` runs these three, and the nightly run of properties the first one, exhaustive exploration.
      project({ name: "model", seconds: 300, workers: "100%", isolate: false, order: 4 }),
      project({ name: "release", seconds: 300, workers: 3, isolate: true, order: 5 }),
      project({ name: "guest", seconds: 300, workers: 3, isolate: true, order: 5 }),
      // Go builds its tools, a minute at first. `.ci/run` runs these two after `npm test -- --all`.
      project({ name: "languages", seconds: 600, workers: 1, isolate: true, order: 6 }),
      // An emulated processor takes a minute to boot a whole system; `npm run guest` runs these too.
      project({ name: "system", seconds: 1800, workers: 1, isolate: true, order: 6 }),
    ],
  },
});
