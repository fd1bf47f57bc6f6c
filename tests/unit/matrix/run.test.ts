/**
 * A matrix against stand-in clouds that refuse by quota or time, like a real attempt at a cell. Real measurements: `tests/bench/matrix.ts`.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { PlannedCell } from "../../../cli/run/cell.ts";
import { Ledger, spentByCell } from "../../../cli/run/ledger.ts";
import { planMatrix } from "../../../cli/run/plan-cells.ts";
import { nothingOf, type Outcome, runCells } from "../../../cli/run/run-cells.ts";
import { ProgressBoard } from "../../../cli/terminal/progress-board.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

const results = handMadeResults();
const aws = {
  cloud: "aws",
  topologies: "direct",
  region: "us-east-1",
  plan: { cases: [{ tool: "connect", durationSeconds: 1 }] },
};
let files = 0;

function planOf(file: object) {
  files += 1;
  const path = `${directory}/${files}.yaml`;
  writeFileSync(path, stringify({ name: "m", defaults: aws, ...file }));
  return planMatrix(path, null);
}

const measured = ({ name }: PlannedCell): Outcome => ({
  ...{ ...nothingOf(name), results, isWhole: true, file: "f.json" },
});
const refused = ({ name }: PlannedCell, error: string): Outcome => nothingOf(name, error);

type Attempt = (cell: PlannedCell, ledger: Ledger) => Promise<Outcome>;

/** Runs all cells against a stand-in, and returns how each ended. */
async function run(file: object, attempt: Attempt, interrupt = new AbortController().signal) {
  const plan = planOf(file);
  const said: string[] = [];
  const board = new ProgressBoard({ write: (text: string) => said.push(text) });
  const ledger = new Ledger(`${directory}/${files}.ndjson`);
  const outcomes = await runCells({
    ...{ cells: plan.cells, bounds: plan.bounds, board, interrupt },
    spent: () => spentByCell(ledger.entries, Date.now()),
    attempt: (cell: PlannedCell) => attempt(cell, ledger),
  });
  const ends = outcomes.map(({ results: own, errors }) =>
    own ? "measured" : errors.join(" ").replace("not started: ", ""),
  );
  return { ends, said: said.join("") };
}

const durations = (count: number) => ({ duration: Array.from({ length: count }, (_, at) => at + 1) });
/** Gives others time to start. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a cloud that refuses", () => {
  it("by quota: cells wait for its holders, and all are measured", async () => {
    let standing = 0;
    const tries: number[] = [];
    const { ends, said } = await run({ axes: durations(6), maxParallel: 4 }, async (cell) => {
      if (standing >= 2)
        return refused(
          cell,
          "api error AddressLimitExceeded: The maximum number of addresses has been reached.",
        );
      standing += 1;
      tries.push(standing);
      await turn();
      await turn();
      standing -= 1;
      return measured(cell);
    });
    expect(ends).toEqual(Array.from({ length: 6 }, () => "measured"));
    expect(Math.max(...tries)).toBe(2);
    expect(said).toMatch(/waits for quota: aws us-east-1 l-0263d0a3/);
  });

  it("by quota without another holder: the cell fails with the cloud's message, the others do not", async () => {
    const { ends } = await run({ axes: durations(3), maxParallel: 1 }, async (cell) =>
      cell.ofMatrix?.keys.duration === 2 ? refused(cell, "VpcLimitExceeded: no more") : measured(cell),
    );
    expect(ends).toEqual(["measured", "VpcLimitExceeded: no more", "measured"]);
  });

  it("by the file's quotas: none is ever exceeded", async () => {
    let [standing, most] = [0, 0];
    const quotas = [{ cloud: "aws", region: "us-east-1", quota: "L-0263D0A3", limit: 5 }];
    const { ends } = await run({ axes: durations(7), maxParallel: 7, quotas }, async (cell) => {
      standing += 2;
      most = Math.max(most, standing);
      await turn();
      standing -= 2;
      return measured(cell);
    });
    expect({ ends: new Set(ends), most }).toEqual({ ends: new Set(["measured"]), most: 4 });
  });

  it("without a remedy: the cell fails, the others continue", async () => {
    const { ends } = await run({ axes: durations(50), maxParallel: 8 }, async (cell) => {
      await turn();
      return Number(cell.ofMatrix?.keys.duration) % 10 === 0 ? refused(cell, "AuthFailure") : measured(cell);
    });
    expect(ends.filter((end) => end === "AuthFailure")).toHaveLength(5);
    expect(ends.filter((end) => end === "measured")).toHaveLength(45);
  });
});

describe("an interrupt", () => {
  it("starts nothing more, and reports what was not started", async () => {
    const person = new AbortController();
    const { ends } = await run(
      { axes: durations(4), maxParallel: 1 },
      async (cell) => {
        person.abort();
        return refused(cell, "interrupted");
      },
      person.signal,
    );
    expect(ends).toEqual(Array.from({ length: 4 }, () => "interrupted"));
  });
});

describe("the budget", () => {
  it("starts nothing above it, even if more was spent than planned", async () => {
    const plan = planOf({ axes: durations(4) });
    const price = plan.cells[0]?.usd ?? 0;
    let started = 0;
    const { ends } = await run(
      { axes: durations(4), maxParallel: 1, budget: 4.5 * price },
      async (cell, ledger) => {
        started += 1;
        // It was deployed as long as two cells would be.
        ledger.note({ cell: cell.name, event: "measured", hourlyUsd: 0, trafficUsd: 2 * price });
        return measured(cell);
      },
    );
    expect(started).toBe(2);
    expect(ends.slice(0, 2)).toEqual(["measured", "measured"]);
    expect(ends[2]).toMatch(/^it may cost .* USD are spent$/);
  });
});
