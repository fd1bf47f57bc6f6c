import { constants } from "node:os";
import type { Client, ClientChannel } from "ssh2";
import { remoteCommandInputs } from "./check.ts";
import { type CommandRun, commandResource } from "./command-resource.ts";
import type { Operation } from "./operations.ts";
import { captureOutput } from "./output.ts";
import type { Properties } from "./shared/envelopes.ts";
import { connectionOf, withSsh } from "./ssh-connection.ts";

/** `command:remote:Command`: a command on another machine, over SSH. */
export const remoteCommand = commandResource(remoteCommandInputs, runRemotely);

function runRemotely(operation: Operation, { command, inputs }: CommandRun): Promise<Properties> {
  return withSsh(operation, connectionOf(inputs), async (client) => {
    const channel = await execute(client, command);
    const outputOf = captureOutput({ stdout: channel, stderr: channel.stderr });
    const failure = await runToEnd(channel, typeof inputs.stdin === "string" ? inputs.stdin : "");
    operation.cancelled.throwIfAborted();
    return outputOf(command, failure);
  });
}

function execute(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

/** Resolves with undefined on exit status 0, else with how the command ended. */
function runToEnd(channel: ClientChannel, stdin: string): Promise<string | undefined> {
  let unsentInput = stdin.length > 0;
  channel.on("error", () => {}); // writing to a channel that the server has closed
  channel.end(stdin, () => {
    unsentInput = false;
  });
  const stdoutClosed = new Promise<string | undefined>((resolve) => {
    channel.on("close", (code?: number | null, signal?: string, _dumped?: boolean, message?: string) => {
      if (code === undefined) {
        resolve("wait: remote command exited without exit status or exit signal");
      } else if (code !== 0) {
        resolve(exitText(code, signal, message));
      } else {
        // The real plugin also fails a command that ends without having read its input.
        resolve(unsentInput ? "EOF" : undefined);
      }
    });
  });
  const stderrEnded = new Promise((resolve) => channel.stderr.once("close", resolve));
  return Promise.all([stdoutClosed, stderrEnded]).then(([failure]) => failure);
}

/** How a remote process ended, in the real plugin's words. */
function exitText(code: number | null, signal: string | undefined, message = ""): string {
  if (signal === undefined) return `Process exited with status ${code}`;
  const name = signal.replace(/^SIG/, "");
  const number = constants.signals[`SIG${name}` as NodeJS.Signals] ?? 0;
  const reason = message === "" ? "" : `. Reason was: ${message}`;
  return `Process exited with status ${128 + number} from signal ${name}${reason}`;
}
