import type { EngineLog } from "./engine-log.ts";
import type { Operation } from "./operation.ts";

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
