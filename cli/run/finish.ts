/** Ends a matrix: reports its whole cells, keeps them in the history, and names what is still deployed. */
import { join, relative } from "node:path";
import type { Results } from "../../bench/index.ts";
import { isPriced } from "../../bench/topologies/index.ts";
import { counted } from "../../report/text/format.ts";
import { INTERRUPTED } from "../terminal/interrupt.ts";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { errorOf } from "../thrown.ts";
import { EXIT, keepRuns, problemsOf, writeReportOf } from "./campaign.ts";
import { commandAgain } from "./cell.ts";
import type { Standing } from "./deployed-stacks.ts";
import { describe } from "./expand.ts";
import type { MatrixArguments } from "./matrix-arguments.ts";
import { readCell } from "./merge.ts";
import type { MatrixPlan, PlannedCell } from "./plan-cells.ts";
import type { CommandIo } from "./request.ts";
import type { CellOutcome } from "./run-cells.ts";

interface After {
  readonly plan: MatrixPlan;
  readonly args: MatrixArguments;
  readonly io: CommandIo;
  readonly board: ProgressBoard;
  readonly outcomes: readonly CellOutcome<PlannedCell>[];
  /** Stacks that are still deployed. */
  readonly left: readonly Standing[];
  readonly interrupt: AbortSignal | null;
}

/** Reports all whole cells, including those of earlier runs, and what is still deployed. */
export async function finish({ plan, args, io, board, outcomes, left, interrupt }: After): Promise<number> {
  for (const outcome of outcomes) {
    const problems =
      outcome.notStarted === null ? problemsOf(outcome) : [`not started: ${outcome.notStarted}`];
    for (const problem of problems) {
      board.line(`${outcome.stack} (${describe(outcome.cell.cell)}): ${problem}`);
    }
  }
  const results = args.down
    ? []
    : plan.cells.flatMap(({ name }) => readCell(join(args.out, `${name}.json`), name) ?? []);
  const missing = plan.cells.length - results.length;
  const unmeasured = unmeasuredOf(plan, results, outcomes);
  const report = args.down ? null : await writeReportOf(results, args.out, { unmeasured }).catch(errorOf);
  if (!args.down) {
    board.line(
      `Measured: ${results.length} of ${counted(plan.cells.length, "cell")}${missing > 0 ? "; measure the rest with --resume" : ""}`,
    );
  }
  if (report instanceof Error) {
    board.line(`the report could not be written: ${report.message}`);
  } else if (report !== null) {
    board.line(`Report: ${relative(process.cwd(), report)}`);
  }
  const runs = args.merge.length > 0 ? results.map((one) => ({ results: one, isWhole: true })) : outcomes;
  const stored = await keepRuns(runs, args.store).catch(errorOf);
  if (stored !== null) {
    board.line(stored instanceof Error ? `the history could not be written: ${stored.message}` : stored);
  }
  for (const one of left) {
    board.warn(leftLines(one, plan, args.out));
  }
  if (args.json) {
    io.stdout.write(`${JSON.stringify(asJson({ plan, outcomes, left }, report, results), null, 2)}\n`);
  }
  if (left.length > 0 && !args.keep) {
    return EXIT.left;
  }
  if (interrupt?.aborted) {
    return INTERRUPTED;
  }
  const isWhole = args.down || (missing === 0 && outcomes.every((one) => problemsOf(one).length === 0));
  return isWhole && !(report instanceof Error) && !(stored instanceof Error) ? EXIT.ok : EXIT.failed;
}

/** Cells without whole results, with the reason if this command knows it. */
function unmeasuredOf(
  { cells }: MatrixPlan,
  results: readonly Results[],
  outcomes: readonly CellOutcome<PlannedCell>[],
) {
  const measured = new Set(results.map(({ stack }) => stack));
  return cells
    .filter(({ name }) => !measured.has(name))
    .map(({ name, cell: { axes } }) => {
      const own = outcomes.find(({ stack }) => stack === name);
      const [why = "no results"] = own?.notStarted ? [own.notStarted] : (own?.errors ?? []);
      return { name, axes, why };
    });
}

function leftLines({ name, resources }: Standing, plan: MatrixPlan, out: string): string[] {
  const { cells, all } = plan;
  const own = [...cells, ...all].find((cell) => cell.name === name);
  const usd = own === undefined || !isPriced(own.stack.cloud) ? null : own.cost.hourlyUsd;
  const cost =
    own === undefined
      ? "not in the file any more"
      : usd === null
        ? "costs nothing"
        : `costs about ${usd.toFixed(2)} USD an hour`;
  return [
    `STILL DEPLOYED: ${name}, ${resources ?? "some"} resources, ${cost}.`,
    ...(own === undefined
      ? [`  destroy: npm run pulumi -- destroy --stack ${name}`]
      : [
          `  go on:   ${commandAgain(plan, out, "--resume")}`,
          `  destroy: ${commandAgain(plan, out, "--down")}`,
        ]),
  ];
}

function asJson(
  { plan, outcomes, left }: Pick<After, "plan" | "outcomes" | "left">,
  report: string | Error | null,
  results: readonly Results[],
) {
  const measured = new Set(results.map(({ stack }) => stack));
  return {
    report: report instanceof Error ? null : report,
    cells: plan.cells.map(({ name, cell }) => {
      const outcome = outcomes.find((one) => one.stack === name);
      const problems = outcome === undefined ? [] : problemsOf(outcome);
      return {
        ...{ name, axes: cell.axes, isMeasured: measured.has(name) },
        problems: outcome?.notStarted ? [`not started: ${outcome.notStarted}`] : problems,
      };
    }),
    left: left.map(({ name }) => name),
  };
}
