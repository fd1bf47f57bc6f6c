import * as grpc from "@grpc/grpc-js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineProto from "@pulumi/pulumi/proto/engine_pb.js";
import type { Properties } from "./shared/envelopes.ts";
import type { InputFailure } from "./shared/messages.ts";

/** The operations under way, which can be cancelled together. */
export interface Operations {
  /** Runs one operation under its custom time-out; 0 seconds is none. */
  run<T>(urn: string, timeoutSeconds: number, work: (operation: Operation) => Promise<T>): Promise<T>;
  /** Aborts everything under way and all later requests. */
  cancelAll(): void;
}

/**
 * Operations that end at their own time-out or when the whole plugin is cancelled.
 *
 * @param engine Address of the engine's log. Undefined: messages go nowhere.
 */
export function createOperations(engine: string | undefined): Operations {
  const cancellation = new AbortController();
  const log = engine && new engineGrpc.EngineClient(engine, grpc.credentials.createInsecure());
  return {
    async run(urn, timeoutSeconds, work) {
      const timeout = new AbortController();
      const timer =
        timeoutSeconds > 0
          ? setTimeout(() => timeout.abort(new Error("context deadline exceeded")), timeoutSeconds * 1000)
          : undefined;
      let logged = Promise.resolve();
      const logStatus = (message: string) => {
        const request = new engineProto.LogRequest();
        request.setUrn(urn);
        request.setSeverity(engineProto.LogSeverity.INFO);
        request.setMessage(message);
        request.setEphemeral(true);
        // A refused message is no reason to fail a resource.
        if (log) logged = logged.then(() => new Promise((resolve) => log.log(request, () => resolve())));
      };
      try {
        return await work({
          name: urn.split("::").slice(3).join("::"),
          signal: AbortSignal.any([timeout.signal, cancellation.signal]),
          cancelled: cancellation.signal,
          logStatus,
        });
      } finally {
        clearTimeout(timer);
        await logged; // so that the result is shown last
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
  /** Shows a message beside the resource until the next one comes, in the order of the calls. */
  logStatus(message: string): void;
}

/** The operations of each of the plugin's resource types. */
export interface Resource {
  check(inputs: Properties): { inputs: Properties; failures: readonly InputFailure[] };
  create(operation: Operation, inputs: Properties): Promise<{ id: string; outputs: Properties }>;
  previewCreate(inputs: Properties): Properties;
  update(operation: Operation, state: Properties, inputs: Properties): Promise<Properties>;
  previewUpdate(state: Properties, inputs: Properties): Properties;
  delete(operation: Operation, state: Properties): Promise<void>;
}
