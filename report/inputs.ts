/**
 * Reads results from the text of results files, with a message for everything unusable. Usable parts are kept: a bad
 * case costs that case only.
 */
import type { z } from "zod";
import { parsePlainJson } from "../bench/plain-text.ts";
import {
  caseResultSchema,
  RESULTS_SCHEMA_VERSION,
  type Results,
  resultsSchema,
  topologyResultSchema,
} from "../bench/results/index.ts";
import { impossibleFigure } from "../bench/results/plausible.ts";
import { said } from "../bench/said.ts";
import { caseSchema } from "../bench/tools/index.ts";
import { pathText, problemsOf, problemText, within } from "../bench/validate.ts";

/** One results document and its source. */
export interface Input {
  /** File or stack, for messages. */
  readonly source: string;
  readonly results: Results;
}

/** Readable results, and problems of the others. */
export interface ReadInputs {
  readonly inputs: readonly Input[];
  /** One sentence each, naming source and field. */
  readonly problems: readonly string[];
}

const FOR_ADVISE = "give a bill, metrics or flow logs to advise";

/** Reads one results document. */
export function readInput(source: string, text: string): ReadInputs {
  return parseInput(source, text)();
}

/** Parses the text of a results document. @returns a function that checks the document without holding its text. */
export function parseInput(source: string, text: string): () => ReadInputs {
  try {
    const document = parsePlainJson(text);
    return () => checkInput(source, document, "emptied");
  } catch (error) {
    const { message } = error as Error;
    const kind = error instanceof RangeError ? "is not a results file" : "is not whole JSON";
    const what = text.trim() === "" ? "is empty" : `${kind} (${message})`;
    const remedy = /^\s*[^\s{[]/.test(text) ? FOR_ADVISE : "measure again or remove it";
    return () => rejected(`${source}: the file ${what}; ${remedy}`);
  }
}

/**
 * Checks a parsed results document, from a file or a stack's outputs.
 *
 * @param lists Whether the document's lists stay, or lose each checked entry: a large report has no memory for both
 * originals and copies. @default kept
 */
export function checkInput(
  source: string,
  document: unknown,
  lists: "kept" | "emptied" = "kept",
): ReadInputs {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return rejected(`${source}: expected a results object, got ${kindOf(document)}`);
  }
  const { schemaVersion, plan, topologies, cases } = document as Record<string, unknown>;
  // Only a library entry has the field `network`.
  if ("network" in document && !("stack" in document)) {
    return rejected(
      `${source}: expected results of a run, got an entry of the results library; the report shows it by itself beside a run of the same cloud, topology and case: give that run's file, such as out/results.json`,
    );
  }
  if (schemaVersion !== RESULTS_SCHEMA_VERSION) {
    return rejected(`${source}: schemaVersion: ${versionProblem(schemaVersion)}`);
  }
  if (Array.isArray(topologies) && topologies.length === 0) {
    return rejected(
      `${source}: topologies: expected at least one; the list is empty, so nothing was measured`,
    );
  }
  const planned = (plan as { cases?: unknown } | null | undefined)?.cases;
  const kept = {
    planned: keepGood(source, "plan.cases", planned, caseSchema, lists),
    topologies: keepGood(source, "topologies", topologies, topologyResultSchema, lists),
    cases: keepGood(source, "cases", cases, caseResultSchema, lists),
  };
  const problems = [...kept.planned.problems, ...kept.topologies.problems, ...kept.cases.problems];
  // The lists are already checked: a second copy of them would exhaust a large report's memory.
  const rest = {
    ...document,
    plan: typeof plan === "object" && plan !== null ? { ...plan, cases: kept.planned.rest } : plan,
    topologies: kept.topologies.rest,
    cases: kept.cases.rest,
  };
  const checked = checkPart(source, resultsSchema, rest);
  if (checked.good === undefined) {
    return { inputs: [], problems: [...problems, ...checked.problems] };
  }
  const own = new Set(kept.topologies.good.map(({ name }) => name));
  // A copied measurement would count as a repetition, and narrow the interval.
  const seen = new Set<string>();
  const measured = kept.cases.good.filter(({ topology, id, startedAt, status, measurement }) => {
    const began = `case ${id} of ${topology} that began at ${startedAt}`;
    const [wrong] = said(
      !own.has(topology) && `case ${id}: topology "${topology}" is not among the topologies`,
      status === "ok" &&
        measurement === null &&
        `case ${id} of ${topology}: expected figures, since its status is ok; got none`,
      startedAt !== null && seen.has(began) && `expected one ${began}; got another`,
    );
    if (wrong === undefined) seen.add(began);
    else problems.push(`${source}: ${wrong}; left out`);
    return wrong === undefined;
  });
  if (measured.length === 0) {
    problems.push(`${source}: cases: expected at least one; got none that can be used; measure again`);
    return { inputs: [], problems };
  }
  const results: Results = {
    ...checked.good,
    plan: { ...checked.good.plan, cases: kept.planned.good },
    topologies: kept.topologies.good,
    cases: measured,
  };
  return { inputs: [{ source, results }], problems };
}

function rejected(problem: string): ReadInputs {
  return { inputs: [], problems: [problem] };
}

function versionProblem(version: unknown): string {
  const expected = `expected ${RESULTS_SCHEMA_VERSION}, got ${JSON.stringify(version) ?? "nothing"}`;
  return typeof version === "number"
    ? `${expected}; written by another version of egress-bench: make the report with that one`
    : `${expected}; this is not a results file of egress-bench; ${FOR_ADVISE}`;
}

/** Checks each entry of a list separately, so that a bad entry costs only itself. `rest` still has to be checked. */
function keepGood<T extends z.ZodType>(
  source: string,
  field: string,
  list: unknown,
  schema: T,
  lists: "kept" | "emptied",
) {
  if (!Array.isArray(list)) {
    return { good: [], rest: list, problems: [] };
  }
  const good: z.output<T>[] = [];
  const problems: string[] = [];
  for (const [index, entry] of list.entries()) {
    if (lists === "emptied") {
      list[index] = null;
    }
    const checked = checkPart(source, schema, entry, `${field}[${index}]`);
    if (checked.good !== undefined) {
      good.push(checked.good);
    }
    problems.push(...checked.problems.map((problem) => `${problem}; left out`));
  }
  return { good, rest: [], problems };
}

/** A value that has its schema's form and possible figures alone, or what is wrong with it. */
function checkPart<T extends z.ZodType>(source: string, schema: T, value: unknown, where = "") {
  const { data, success } = schema.safeParse(value);
  const wrong = success ? impossibleFigure(data) : null;
  if (success && wrong === null) {
    return { good: data, problems: [] };
  }
  const problems =
    wrong === null
      ? problemsOf(schema, value)
      : [{ path: pathText(wrong.path), reason: `expected ${wrong.expected}; got ${wrong.figure}` }];
  return { problems: problems.map((one) => `${source}: ${problemText(within(where, one))}`) };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** Keeps only the newest of several documents of one stack and run, so that none is counted twice. */
export function withoutDuplicates(inputs: readonly Input[]): ReadInputs {
  const kept = new Map<string, Input>();
  const problems: string[] = [];
  for (const input of inputs) {
    const { stack, runId, cloud } = input.results;
    const key = JSON.stringify([cloud, stack, runId]);
    const other = kept.get(key);
    if (other === undefined) {
      kept.set(key, input);
      continue;
    }
    const [newer, older] = finishedAt(input) > finishedAt(other) ? [input, other] : [other, input];
    kept.set(key, newer);
    problems.push(
      `${older.source}: fields stack and runId: "${stack}" run "${runId}" is also in ${newer.source}, which is shown; ` +
        "give each run a runId of its own to see both",
    );
  }
  return { inputs: [...kept.values()], problems };
}

function finishedAt({ results }: Input): number {
  return Date.parse(results.finishedAt ?? results.startedAt ?? "") || 0;
}
