import type { Properties } from "../shared/envelopes.ts";
import type { Failure } from "./check.ts";

/** How a line of the log is shown. */
export type Severity = "debug" | "info" | "warning" | "error";

/** One create, update or delete that the engine requested. */
export interface Operation {
  /** The resource's name, the last part of its URN. */
  readonly name: string;
  /** Aborts, with an Error as its reason, when the custom time-out passes or the update is cancelled. */
  readonly signal: AbortSignal;
  /** Aborts only when the update is cancelled, for work that a time-out does not stop. */
  readonly cancelled: AbortSignal;
  /** Shows a message under the resource, in the order of the calls. */
  log(severity: Severity, message: string): void;
  /** Shows a message beside the resource until the next one comes. */
  logStatus(message: string): void;
  /** Resolves when the engine has taken every message. */
  logged(): Promise<void>;
}

/** The operations of each of the plugin's resource types. */
export interface Resource {
  check(inputs: Properties): { inputs: Properties; failures: readonly Failure[] };
  create(operation: Operation, inputs: Properties): Promise<{ id: string; outputs: Properties }>;
  previewCreate(inputs: Properties): Properties;
  update(operation: Operation, state: Properties, inputs: Properties): Promise<Properties>;
  previewUpdate(state: Properties, inputs: Properties): Properties;
  delete(operation: Operation, state: Properties): Promise<void>;
}
