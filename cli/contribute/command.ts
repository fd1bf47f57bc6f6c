/** The command `npm run contribute`, apart from the process it runs in. */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { presets } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { type Contribution, contributionOf, type Input } from "../../report/index.ts";
import { counted } from "../../report/text/format.ts";
import { commands } from "../commands.ts";
import { EXIT, PROGRAM, runCommand, type Values } from "../program.ts";
import type { ReportIo } from "../report/command.ts";
import { readFiles, resultsFilesIn } from "../report/inputs.ts";
import { writeOut } from "../terminal/result-files.ts";

export function contribute(argv: readonly string[], io: ReportIo): number {
  return runCommand(commands.contribute, argv, io, (values) => run(values, io));
}

function run(
  { files, out, print }: Values<typeof commands.contribute>,
  { directory, stdout, stderr }: ReportIo,
): number {
  const read = readFiles(files.length > 0 ? files : resultsFilesIn("out", directory), directory);
  const problems = [...read.problems];
  if (read.inputs.length === 0) {
    problems.push("no usable results: measure first, e.g. with npm run local, or name a file");
  }
  for (const input of read.inputs) {
    const made = contributionOrProblem(input);
    if (typeof made === "string") {
      problems.push(`${input.source}: ${made}`);
      continue;
    }
    const text = `${JSON.stringify(made, undefined, 2)}\n`;
    if (print) {
      stdout.write(text);
      continue;
    }
    const file = join(out, nameOf(made, text));
    writeOut(resolve(directory, file), text, file);
    stdout.write(`${sayOf(input, made)}: ${file}\n`);
  }
  for (const problem of problems) {
    stderr.write(`${PROGRAM} contribute: ${problem}\n`);
  }
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

function contributionOrProblem({ results }: Input): Contribution | string {
  try {
    return contributionOf(results, Object.keys(presets)) ?? "it has no measurements to contribute";
  } catch (error) {
    return (error as Error).message;
  }
}

/** A stable name: contributing a run twice gives the same one. */
function nameOf({ cloud, region, month }: Contribution, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const parts = [month, region, hash].filter((part) => part !== null);
  return join(cloudRecords[cloud].isLab ? "lab" : cloud, `${parts.join("-")}.json`);
}

function sayOf({ source }: Input, { topologies, network }: Contribution): string {
  const figures = topologies.reduce((sum, one) => sum + one.figures.length, 0);
  return `${source}: ${counted(figures, "figure")} of ${topologies.map(({ topology }) => topology).join(", ")}${network ? "" : ", marked as the lab's"}`;
}
