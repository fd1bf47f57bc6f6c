import type { Client, ClientChannel } from "ssh2";
import { type CommandRun, commandResource, previousOutputVariables } from "./command-resource.ts";
import type { Severity } from "./engine-log.ts";
import { quote, remoteExitText } from "./go-text.ts";
import type { Operation } from "./operations.ts";
import { captureOutput, type OutputCapture } from "./output-capture.ts";
import { remoteCommandShape } from "./shapes.ts";
import type { Properties } from "./shared/envelopes.ts";
import { connectionOf, withSsh } from "./ssh-connection.ts";

/** `command:remote:Command`: a command on another machine, over SSH. */
export const remoteCommand = commandResource(remoteCommandShape, runRemotely);

function runRemotely(operation: Operation, run: CommandRun): Promise<Properties> {
  const { command, inputs } = run;
  return withSsh(operation, connectionOf(inputs), async (client) => {
    const session = await openSession(client);
    await setEnvironment(operation, session, run);
    const capture = captureOutput(operation, inputs.logging);
    const stdin = typeof inputs.stdin === "string" ? inputs.stdin : "";
    const failure = await runToEnd(await session.execute(command), stdin, capture);
    operation.cancelled.throwIfAborted();
    const outputs = await capture.finish();
    if (failure === undefined) return outputs;
    throw new Error(`${failure}: running ${quote(command)}:\n${capture.combined()}`);
  });
}

async function setEnvironment(operation: Operation, session: Session, run: CommandRun): Promise<void> {
  const environment = (run.inputs.environment ?? {}) as Record<string, string>;
  for (const [name, value] of Object.entries(environment)) {
    if (await session.setEnvironment(name, value)) continue;
    explainRefusal(operation, "error", name);
    throw new Error(`could not set environment variable ${quote(name)}: ssh: setenv failed`);
  }
  for (const [name, value] of previousOutputVariables(run)) {
    if (!(await session.setEnvironment(name, value))) explainRefusal(operation, "warning", name);
  }
}

function explainRefusal(operation: Operation, severity: Severity, name: string): void {
  operation.log(
    severity,
    `Unable to set '${name}'. The SSH server takes only variables that its AcceptEnv names. ` +
      "With a shell like Bash on the remote host, begin the command with 'VAR=value' instead",
  );
}

/** Resolves with undefined on exit status 0, else with how the command ended. */
function runToEnd(
  channel: ClientChannel,
  stdin: string,
  capture: OutputCapture,
): Promise<string | undefined> {
  let unsentInput = stdin.length > 0;
  channel.on("data", capture.stdout);
  channel.stderr.on("data", capture.stderr);
  channel.on("error", () => {}); // writing to a channel that the server has closed
  channel.end(stdin, () => {
    unsentInput = false;
  });
  const stdoutClosed = new Promise<string | undefined>((resolve) => {
    channel.on("close", (code?: number | null, signal?: string, _dumped?: boolean, message?: string) => {
      if (code === undefined) {
        resolve("wait: remote command exited without exit status or exit signal");
      } else if (code !== 0) {
        resolve(remoteExitText(code, signal?.replace(/^SIG/, "") ?? null, message));
      } else {
        // The real plugin also fails a command that ends without having read its input.
        resolve(unsentInput ? "EOF" : undefined);
      }
    });
  });
  const stderrEnded = new Promise((resolve) => channel.stderr.once("close", resolve));
  return Promise.all([stdoutClosed, stderrEnded]).then(([failure]) => failure);
}

/** An SSH session before its command: a channel on which variables can be set one by one. */
interface Session {
  /** Resolves with false when the server does not accept the variable (`AcceptEnv`). */
  setEnvironment(name: string, value: string): Promise<boolean>;
  execute(command: string): Promise<ClientChannel>;
}

/**
 * The parts of ssh2 1.17 used below. Its public `exec` sends variables without waiting for an answer, so a refused one
 * would go unnoticed, and the command would run without it.
 */
interface Internals {
  readonly _chanMgr: { add(opened: OpenedCallback): number };
  readonly _protocol: {
    session(channel: number, windowBytes: number, packetBytes: number): void;
    env(channel: number, name: string, value: string, wantReply: boolean): void;
    exec(channel: number, command: string, wantReply: boolean): void;
  };
}

type OpenedCallback = ((error: Error | undefined, channel: Channel) => void) & { type?: string };

type Channel = ClientChannel & {
  readonly outgoing: { readonly id: number };
  /** Called with whether the oldest unanswered request has failed. */
  readonly _callbacks: ((hasFailed: boolean) => void)[];
  subtype: string;
};

// ssh2's own window.
const WINDOW_BYTES = 2 * 1024 * 1024;
const PACKET_BYTES = 32 * 1024;

/** Opens a session. Throws when the server refuses one. */
async function openSession(client: Client): Promise<Session> {
  const { _chanMgr, _protocol } = client as unknown as Internals;
  const channel = await new Promise<Channel>((resolve, reject) => {
    const opened: OpenedCallback = (error, channel) => (error ? reject(error) : resolve(channel));
    opened.type = "session";
    _protocol.session(_chanMgr.add(opened), WINDOW_BYTES, PACKET_BYTES);
  });
  const isAccepted = () =>
    new Promise<boolean>((resolve) => channel._callbacks.push((hasFailed) => resolve(!hasFailed)));
  return {
    setEnvironment(name, value) {
      _protocol.env(channel.outgoing.id, name, value, true);
      return isAccepted();
    },
    async execute(command) {
      _protocol.exec(channel.outgoing.id, command, true);
      if (!(await isAccepted())) throw new Error(`ssh: command ${JSON.stringify(command)} failed`);
      channel.subtype = "exec";
      return channel;
    },
  };
}
