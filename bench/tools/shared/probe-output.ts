/** Reads the one JSON document that a program of the host agent prints. */
import type { z } from "zod";
import { type ParseContext, ToolFailure } from "../tool.ts";
import { checkEnded, excerpt, lastLine } from "./failure.ts";
import { parseJsonObject } from "./json-text.ts";

/** Arguments of {@link probeOutput}. */
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
  const { data } = schema.safeParse(parseJsonObject(stdout));
  if (data !== undefined && isWhole(data)) {
    return data;
  }
  const { stderr, exitCode } = context;
  const said = /agent\.py probe: (.+)/.exec(stderr)?.[1];
  if (said !== undefined && failureOf !== undefined) {
    throw failureOf(said);
  }
  const reason = lastLine(stderr) || `its output: ${excerpt(stdout)}`;
  throw new ToolFailure(
    "bad-output",
    `${program} ended with status ${exitCode} and without a result: ${reason}`,
  );
}
