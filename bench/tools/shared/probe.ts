/** Reads the one JSON document that a program of the host agent prints. */
import { z } from "zod";
import { AGENT_DIRECTORY } from "../../agent/directory.ts";
import { histogramSchema } from "../../results/measurement.ts";
import { problemsOf, problemText } from "../../validate.ts";
import { type ParseContext, ToolFailure } from "../tool.ts";
import { checkEnded, excerpt, lastLine } from "./failure.ts";
import { parseJsonObject } from "./json-text.ts";

interface ProbeOutputArgs<Output> {
  readonly schema: z.ZodType<Output>;
  /** The program, as messages name it. */
  readonly program: string;
  /** Whether a document that fits the schema belongs to this case. @default every one does */
  readonly isWhole?: (output: Output) => boolean;
  /** Maps the program's own error line to a failure. @default the line is the reason of `bad-output` */
  readonly failureOf?: (said: string) => ToolFailure;
}

/** The document. @throws {ToolFailure} where there is none */
export function probeOutput<Output>(
  stdout: string,
  context: ParseContext,
  { schema, program, isWhole = () => true, failureOf }: ProbeOutputArgs<Output>,
): Output {
  checkEnded(context);
  const document = parseJsonObject(stdout);
  const { data } = schema.safeParse(document);
  if (data !== undefined && isWhole(data)) {
    return data;
  }
  const { stderr, exitCode } = context;
  const said = /agent\.py probe: (.+)/.exec(stderr)?.[1];
  if (said !== undefined && failureOf !== undefined) {
    throw failureOf(said);
  }
  const problems = document === undefined ? [] : problemsOf(schema, document).map(problemText);
  const reason = problems.join(", ") || lastLine(stderr) || `its output: ${excerpt(stdout)}`;
  throw new ToolFailure(
    "bad-output",
    `${program} ended with status ${exitCode} and without a result: ${reason}`,
  );
}

export const count = z.int().min(0);

const microseconds = z.number().min(0).nullable();

/** Output of the agent's `latency_statistics`, in microseconds; null without samples. */
export const agentLatencySchema = z.object({
  samples: count,
  mean: microseconds,
  min: microseconds,
  max: microseconds,
  stddev: microseconds,
  p50: microseconds,
  p90: microseconds,
  p99: microseconds,
  p999: microseconds,
  histogram: histogramSchema.optional(),
});

/** The words that start a program of the host agent, from the home directory of the SSH user. */
export function agentProgram(file: string): string[] {
  return ["python3", `${AGENT_DIRECTORY}/${file}`];
}
