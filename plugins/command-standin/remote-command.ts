import type { ClientChannel } from "ssh2";
import type { Properties } from "../shared/envelopes.ts";
import { type CommandRun, commandResource, previousOutputVariables } from "./command-resource.ts";
import { quote, remoteExitText } from "./go-text.ts";
import type { Operation, Severity } from "./operation.ts";
import { captureOutput, type OutputCapture } from "./output-capture.ts";
import { remoteCommandShape } from "./shapes.ts";
import { connectionOf, withSsh } from "./ssh-connection.ts";
import { openSession, type Session } from "./ssh-session.ts";

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
