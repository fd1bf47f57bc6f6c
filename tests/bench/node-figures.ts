/** Cost of the Node processes of a `pulumi`: each writes its figures when it ends. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One process. */
export interface NodeFigures {
  /** Path of its script. */
  readonly path: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak memory. */
  readonly megabytes: number;
}

/** Figures of all processes started with these NODE_OPTIONS. */
export interface FiguresOfNode {
  readonly nodeOptions: string;
  /** Figures of the process whose script's path contains this. */
  of(script: string): NodeFigures;
}

/** The script that runs the Pulumi program. */
export const PROGRAM = "@pulumi/pulumi/cmd/run";

/** Collects figures. @param directory Directory of their files. */
export function figuresOfNode(directory: string): FiguresOfNode {
  const figures = join(directory, "figures");
  mkdirSync(figures);
  const hook = join(directory, "figures.cjs");
  writeFileSync(hook, leaveFigures(figures));
  return {
    nodeOptions: `--require ${hook}`,
    of(script) {
      const all = readdirSync(figures).map(
        (name): NodeFigures => JSON.parse(readFileSync(join(figures, name), "utf8")),
      );
      const found = all.find(({ path }) => path.includes(script));
      if (found === undefined) {
        throw new Error(`no figures of ${script}; there are: ${all.map(({ path }) => path).join(", ")}`);
      }
      return found;
    },
  };
}

function leaveFigures(directory: string): string {
  return `
const path = process.argv[1] ?? "";
// Plugins are ended by a signal.
for (const signal of path.includes("${PROGRAM}") ? [] : ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => process.exit());
}
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const figures = { path, seconds: performance.now() / 1000, cpuSeconds, megabytes: maxRSS / 1024 };
  require("node:fs").writeFileSync(${JSON.stringify(directory)} + "/" + process.pid, JSON.stringify(figures));
});
`;
}
