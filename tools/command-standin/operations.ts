import type { Failure } from "./check.ts";
import type { EngineLog, Severity } from "./engine-log.ts";
import type { Properties } from "./shared/envelopes.ts";

/** The operations under way, which can be cancelled together. */
export interface Operations {
  /** Runs one operation under its custom time-out; 0 seconds is none. */
  run<T>(urn: string, timeoutSeconds: number, work: (operation: Operation) => Promise<T>): Promise<T>;
  /** Aborts everything under way and all later requests. */
  cancelAll(): void;
}

/** Operations that end at their own time-out or when the whole plugin is cancelled. */
export function createOperations(engineLog: EngineLog): Operations {
  const cancellation = new AbortController();
  return {
    async run(urn, timeoutSeconds, work) {
      const timeout = new AbortController();
      const timer =
        timeoutSeconds > 0
          ? setTimeout(() => timeout.abort(new Error("context deadline exceeded")), timeoutSeconds * 1000)
          : undefined;
      try {
        return await work({
          name: urn.split("::").slice(3).join("::"),
          signal: AbortSignal.any([timeout.signal, cancellation.signal]),
          cancelled: cancellation.signal,
          log: (severity, text) => engineLog.send({ urn, severity, text, ephemeral: false }),
          logStatus: (text) => engineLog.send({ urn, severity: "info", text, ephemeral: true }),
          logged: () => engineLog.flushed(),
        });
      } finally {
        clearTimeout(timer);
        await engineLog.flushed(); // so that the result is shown last
      }
    },
    cancelAll: () => cancellation.abort(new Error("context canceled")),
  };
}

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
