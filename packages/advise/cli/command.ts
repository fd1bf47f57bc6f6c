/** The command `npm run advise`, separate from the process it runs in. */

import { plainText } from "../../../bench/index.ts";
import { said } from "../../../bench/said.ts";
import { commands } from "../../../cli/commands.ts";
import { checkNames } from "../../../cli/known-names.ts";
import { PROGRAM, runCommand } from "../../../cli/program.ts";
import { readFiles } from "../../../cli/report/inputs.ts";
import { readPrices } from "../../../cli/report/prices/file.ts";
import type { Advice } from "../src/advice.ts";
import { type AllAdvice, allOf, placeName } from "../src/all.ts";
import { FormatError } from "../src/fields.ts";
import { maskTraffic } from "../src/mask.ts";
import { counted } from "../src/words.ts";
import { type AdviseArguments, type AdviseIo, adviseArguments } from "./arguments.ts";
import { adviceJson, assertNewStack, type Written, writeAdvice, writeStack } from "./output.ts";
import { maker, type Sources, sharesOf } from "./price.ts";
import { readTraffic } from "./read-traffic.ts";
import { reductionText } from "./reduce.ts";

const EXIT = { ok: 0, unusable: 1, interrupted: 130 } as const;

export async function adviseCommand(argv: readonly string[], io: AdviseIo): Promise<number> {
  return runCommand(commands.advise, argv, io, async (values) => {
    try {
      return await run(adviseArguments(values), io);
    } catch (error) {
      if (!io.signal.aborted) throw error;
      io.stderr.write(`${PROGRAM} advise: interrupted; nothing was written\n`);
      return EXIT.interrupted;
    }
  });
}

async function run(args: AdviseArguments, io: AdviseIo): Promise<number> {
  if (args.sql !== undefined) {
    io.stdout.write(reductionText(args, args.sql, io.directory));
    return EXIT.ok;
  }
  const prices = readPrices(args.prices, io.directory, args.natTerm);
  checkNames({ "--region": args.region ?? null, "--nat-size": args.natSize ?? null }, prices);
  // Results are read before the logs, which may take an hour.
  const results = resultsOf(args, io);
  const newStack = args.writeStack === undefined ? null : assertNewStack(args.writeStack, io.stackFiles);
  const { traffics, rangesFrom } = await readTraffic(args, io);
  const sources = { ranges: rangesFrom, prices, results, egressShares: sharesOf(args, traffics) };
  const plain: Advice[] = [];
  const hidden: Advice[] = [];
  for (const traffic of traffics) {
    const make = await maker(args, io, sources, traffic);
    plain.push(make(traffic));
    hidden.push(make(maskTraffic(traffic)));
  }
  const [advice, masked] = [plain, hidden].map(wholeOf) as [Whole, Whole];
  const written = writeAdvice({ advice, masked }, args.mask, args.out, io.directory);
  const [largest] = allOf(plain).places;
  const stack =
    newStack === null || largest === undefined ? null : writeStack(largest, newStack, io.stackFiles);
  const shown = args.mask === true ? masked : advice;
  if (args.json) {
    io.stdout.write(adviceJson(shown));
  } else {
    print(shown, written, stack, io);
  }
  return traffics.some(({ logs }) => logs.unusable.length > 0) ? EXIT.unusable : EXIT.ok;
}

type Whole = Advice | AllAdvice;

/** One place's advice, or all places with their totals. */
function wholeOf(advices: readonly Advice[]): Whole {
  const [only] = advices;
  return only !== undefined && advices.length === 1 ? only : allOf(advices);
}

function resultsOf(args: AdviseArguments, io: AdviseIo): Sources["results"] {
  const { inputs, problems } = readFiles(args.results, io.directory);
  if (problems.length > 0) {
    throw new FormatError(`--results: ${problems.join("; ")}`);
  }
  return inputs.map((input) => input.results);
}

function print(whole: Whole, written: Written, stack: readonly string[] | null, { stdout }: AdviseIo): void {
  const notes = new Set(("places" in whole ? whole.places : [whole]).flatMap((one) => one.notes)).size;
  // What else the figures mean is in the files.
  const lines = said(
    ...("places" in whole
      ? [whole.sentence, ...whole.places.flatMap((one) => [`${placeName(one)}:`, ...linesOf(one)])]
      : linesOf(whole)),
    ...whole.warnings.map((warning) => `  Warning: ${warning}`),
    `  ${counted(notes, "note")} on these figures ${notes === 1 ? "is" : "are"} in the files.`,
    `Advice: ${Object.values(written).join(", ")}`,
    stack !== null && `Stack: ${stack.join(", ")}`,
  );
  stdout.write(`${lines.map(plainText).join("\n")}\n`);
}

const linesOf = ({ recommendation: { sentence, also, answers } }: Advice): string[] => [
  ...[sentence, ...also],
  ...answers.map(({ question, sentences }) => `  ${question}: ${sentences.join(" ")}`),
];
