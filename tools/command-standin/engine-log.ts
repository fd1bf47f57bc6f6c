import * as grpc from "@grpc/grpc-js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineProto from "@pulumi/pulumi/proto/engine_pb.js";

/** Sends messages to the engine, each after the previous one was taken. */
export interface EngineLog {
  send(message: {
    readonly urn: string;
    readonly severity: Severity;
    readonly text: string;
    /** Shown beside the resource only while it is the latest message. */
    readonly ephemeral: boolean;
  }): void;
  /** Resolves when the engine has taken, or refused, all messages. */
  flushed(): Promise<void>;
}

const SEVERITIES = {
  debug: engineProto.LogSeverity.DEBUG,
  info: engineProto.LogSeverity.INFO,
  warning: engineProto.LogSeverity.WARNING,
  error: engineProto.LogSeverity.ERROR,
};

/** How a line of the log is shown. */
export type Severity = keyof typeof SEVERITIES;

/** Connects to the engine's log at `address`, lazily. Without an address, messages go nowhere. */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { send: () => {}, flushed: async () => {} };
  const client = new engineGrpc.EngineClient(address, grpc.credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
  });
  let last = Promise.resolve();
  return {
    send({ urn, severity, text, ephemeral }) {
      const request = new engineProto.LogRequest();
      request.setUrn(urn);
      request.setSeverity(SEVERITIES[severity]);
      request.setMessage(text);
      request.setEphemeral(ephemeral);
      // A refused message is no reason to fail a resource.
      last = last.then(() => new Promise((resolve) => client.log(request, () => resolve())));
    },
    flushed: () => last,
  };
}
