/**
 * Growth of time, CPU, memory and state with cases, topologies, pairs and a matrix's cells. Pulumi's engine writes each
 * checkpoint; the cloud and the hosts are stand-ins that answer at once.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { MAX_PAIRS } from "../../bench/index.ts";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { createAwsEngine } from "../helpers/aws-standin/engine.ts";

/** Costs by unit: seconds, CPU seconds, MB of the largest process, KB of state. */
type Cost = Readonly<Record<"s" | "s of CPU" | "MB" | "KB of state", number | null>>;

const cases = (count: number, pairs = 1) => ({
  cases: Array.from({ length: count }, (_, at) => ({
    id: `tcp-${at}`,
    tool: "iperf3",
    durationSeconds: 10,
    pairs,
  })),
});
/** Topologies of one kind, so that eight differ from two only in number. */
const alike = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `nat-instance-${at + 1}`, topology: "nat-instance" }));

interface Growth {
  readonly sizes: readonly number[];
  readonly cost: (size: number) => Promise<Cost>;
}

/** The configuration of a deployment of a size, and the sizes. Pairs go out through one address: a server admits 29. */
const deployments: Readonly<
  Record<string, { sizes: readonly number[]; of: (size: number) => Record<string, unknown> }>
> = {
  cases: { sizes: [10, 100, 500], of: (size) => ({ "egress-bench:plan": cases(size) }) },
  topologies: {
    sizes: [2, 8],
    of: (size) => ({ "egress-bench:plan": cases(4), "egress-bench:topologies": alike(size) }),
  },
  pairs: {
    sizes: [1, 4, 16, MAX_PAIRS],
    of: (size) => ({
      "egress-bench:plan": cases(4, size),
      "egress-bench:topologies": alike(1),
      "egress-bench:pairs": size,
    }),
  },
};

/** The engine writes its whole state before and after each resource; without that, the remaining cost is the program's. */
const growths: Readonly<Record<string, Growth>> = {
  ...Object.fromEntries(
    Object.entries(deployments).flatMap(([name, { sizes, of }]): [string, Growth][] => [
      // The engine takes many minutes for the most pairs.
      [
        name,
        {
          sizes: sizes.filter((size) => name !== "pairs" || size < MAX_PAIRS),
          cost: (size) => deployed(of(size)),
        },
      ],
      [`${name} without checkpoints`, { sizes, cost: (size) => deployed(of(size), "true") }],
    ]),
  ),
  cells: { sizes: [10, 100, 500], cost: async (size) => listed(size) },
};

/** A line for each size, and the exponents of each growth; the goal is at most 1.1. */
export async function growth(only: readonly string[] = []): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, { sizes, cost }] of Object.entries(growths)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const found: [size: number, cost: Cost][] = [];
    for (const size of sizes) {
      found.push([size, await cost(size)]);
      const [, figures] = found.at(-1) as (typeof found)[number];
      lines.push(`${size} ${name}: ${texts(figures, (value) => value.toPrecision(3))}`);
    }
    // The program's start dominates the smallest size and hides growth, so the two largest are also compared alone.
    for (const [points, which] of [
      [found, "over all sizes"],
      [found.slice(-2), "between the two largest"],
    ] as const) {
      const text = texts(exponentsOf(points), (value) => value.toFixed(2));
      lines.push(`exponents of ${name} ${which}: ${text}; goal 1.1 at most`);
    }
  }
  return lines;
}

function exponentsOf(found: readonly (readonly [size: number, cost: Cost])[]): Cost {
  const fitted = (unit: keyof Cost) => exponent(found.map(([size, one]) => [size, one[unit] ?? 0]));
  const units = Object.entries(found[0]?.[1] ?? {}) as [keyof Cost, number | null][];
  return Object.fromEntries(
    units.map(([unit, value]) => [unit, value === null ? null : fitted(unit)]),
  ) as Cost;
}

function texts(cost: Cost, text: (value: number) => string): string {
  return Object.entries(cost)
    .flatMap(([unit, value]) => (value === null ? [] : [`${text(value)} ${unit}`]))
    .join(", ");
}

/** The slope of a straight line through the logarithms. */
export function exponent(points: readonly (readonly [size: number, cost: number])[]): number {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
  const mean = (at: 0 | 1) => logs.reduce((sum, one) => sum + one[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const rise = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return rise / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

/** A deployment, with all its checkpoints unless they are skipped. */
async function deployed(overrides: Record<string, unknown>, skipped = "false"): Promise<Cost> {
  // Tests have the engine collect its garbage late, which a person's does not.
  const environment = { PULUMI_SKIP_CHECKPOINTS: skipped, GOGC: "100" };
  const engine = createAwsEngine({ startsAll: true, environment });
  try {
    const standard = { "egress-bench:topologies": ["direct"], "egress-bench:pairs": 1 };
    const stack = await engine.wholeStack("aws-compare", { ...standard, ...overrides });
    const up = ["pulumi", "up", "--stack", stack.name, "--yes", "--skip-preview", "--non-interactive"];
    const used = usageOf([...up, "--parallel", "64"], engine.project, stack.workspace.envVars);
    const state = JSON.stringify(await stack.exportStack());
    return { ...used, "KB of state": Buffer.byteLength(state) / 1000 };
  } finally {
    engine.dispose();
  }
}

/** A matrix that is only listed: its cells, their time, price and quotas. */
function listed(cells: number): Cost {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-growth-"));
  try {
    const file = join(directory, "matrix.yaml");
    const repeats = Array.from({ length: cells / 2 }, (_, at) => ({
      cases: [{ tool: "connect", durationSeconds: at + 1 }],
    }));
    const axes = { topologies: ["direct", "nat-instance"], plan: repeats };
    writeFileSync(file, stringify({ name: "growth", defaults: { cloud: "local" }, axes }));
    const list = [process.execPath, inCheckout("cli/main.ts"), "compare", "--matrix", file, "--list-json"];
    return { ...usageOf(list, directory, {}), "KB of state": null };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function usageOf(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Omit<Cost, "KB of state"> {
  const program = fileURLToPath(new URL("usage-of.py", import.meta.url));
  const printed = execFileSync("python3", [program, ...command], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  const [s = 0, cpu = 0, MB = 0] = printed.trim().split(" ").map(Number);
  return { s, "s of CPU": cpu, MB };
}
