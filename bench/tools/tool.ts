/**
 * The contract every load-test tool fulfils: build the command, read the reply. Transport lives elsewhere.
 *
 * @module
 */
import type { Case } from "../plan/plan.ts";
import type { FailureClass, Measurement } from "../results/index.ts";

/** Facts a parser may need beside the text: how the tool ended and what it was asked to do. */
export interface ParseContext<C extends Case = Case> {
  readonly case: C;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stderr: string;
}

/** A tool that ran and did not measure: what the results' `failure` says. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly failureClass: FailureClass;

  constructor(failureClass: FailureClass, message: string) {
    super(message);
    this.failureClass = failureClass;
  }
}

export interface Tool<C extends Case = Case> {
  readonly name: C["tool"];
  /** Executables that must be on the client and the server. */
  readonly executables: readonly string[];
  /** Shell command, quoted, that one end runs against the other: the client, but for `senderConnects`. */
  command(benchCase: C, serverAddress: string): string;
  /** Seconds the command takes when all goes well. */
  expectedSeconds(benchCase: C): number;
  /** Reads stdout, whole or reduced by the host agent. @throws {ToolFailure} */
  parse(stdout: string, context: ParseContext<C>): { measurement: Measurement; version: string | null };
  /** Name of the host agent's reducer for this tool's stdout. */
  readonly reducer: "iperf3" | "none";
  /** Patterns (Python and JavaScript regular expressions alike) of output that is worth another attempt. */
  readonly retryOn: readonly string[];
  /** The end that sends connects: of an ingress case the server runs the command, against the client's address. */
  readonly senderConnects?: true;
}
