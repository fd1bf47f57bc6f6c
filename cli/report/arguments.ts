/** The command line of `npm run report`. */
import { BIT_RATE_ALLOWED, parseBitRate } from "../../bench/plan/quantities.ts";
import {
  defaultNeeds,
  expectedOf,
  type Needs,
  type NumberField,
  numberFields,
  parseNumber,
  presentWays,
  showNumber,
} from "../../report/index.ts";
import type { commands } from "../commands.ts";
import { oneOf, percent } from "../options.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";

export const exportNames = ["benchmark-action", "bencher"] as const;
/** A service whose files are written next to the report. */
export type ExportName = (typeof exportNames)[number];

/** @throws {UsageError} */
export function reportArguments(values: ReportValues) {
  const tolerancePercent = percent("--tolerance", values.tolerance ?? "5%");
  const idle = (["tolerance", "allow-not-judged", "annotate"] as const).find((name) => values[name]);
  if (idle !== undefined && values.baseline === undefined) {
    throw new UsageError(`--${idle}: also expected --baseline FILE; without a baseline nothing is judged`);
  }
  return {
    ...values,
    stacks: values.stack ?? [],
    needs: needsOfOptions(values),
    regions: (values.regions ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])),
    limit: values.limit === undefined ? undefined : rate("--limit", values.limit),
    tolerancePercent,
    exports: (values.export ?? []).map((name) => oneOf("--export", name, exportNames)),
  };
}

export type ReportArguments = Readonly<ReturnType<typeof reportArguments>>;

type ReportValues = Values<typeof commands.report>;

function needsOfOptions(values: ReportValues): Needs {
  const numbers = numberFields.map((field) => {
    const text = values[field.name as keyof typeof values];
    return [field.key, amount(field, typeof text === "string" ? text : undefined)];
  });
  return {
    ...defaultNeeds,
    ...Object.fromEntries(numbers),
    fixedAddress: !values["no-fixed-address"],
    noSinglePoint: values["no-single-point"],
    region: values.region ?? null,
    now: values.now === undefined ? null : oneOf("--now", values.now, presentWays),
  };
}

function amount(field: NumberField, text = showNumber(field, defaultNeeds)): number | null {
  const value = parseNumber(field, text);
  if (value === undefined) {
    throw new UsageError(`--${field.name}: ${expectedOf(field)}; got "${text}"`);
  }
  return value;
}

function rate(option: string, text: string): number {
  const value = parseBitRate(text);
  if (value === undefined || value === 0) {
    throw new UsageError(
      `${option}: expected ${BIT_RATE_ALLOWED.replace(' or "unlimited"', "")}; got "${text}"`,
    );
  }
  return value;
}
