/** Failures that all tools share. */
import { plainText } from "../../plain-text.ts";
import { type ParseContext, ToolFailure } from "../tool.ts";

/** Exit status of a shell that did not find the command. */
const COMMAND_NOT_FOUND = 127;

/** Pattern of tools' messages for a connection lost in a test's middle: reset or timed out, or closed by the other end. */
export const CONNECTION_LOST =
  "unable to (?:send|receive) control message|control socket has closed unexpectedly|unable to write to stream socket|closed by a peer|reset by peer|broken pipe";

/** @throws {ToolFailure} where the tool's exit alone shows that there is no measurement. */
export function checkEnded(context: ParseContext): void {
  if (context.timedOut) {
    throw new ToolFailure("timeout", `${context.case.tool} was still running at its time-out and was ended`);
  }
  if (context.exitCode === COMMAND_NOT_FOUND) {
    throw new ToolFailure(
      "tool-missing",
      `${context.case.tool} is not installed on the client: ${lastLine(context.stderr)}`,
    );
  }
}

/** Maps a tool's own error text to a failure. */
export function failureFromText(text: string): ToolFailure {
  if (/server is busy/i.test(text)) {
    return new ToolFailure("server-busy", text);
  }
  if (new RegExp(CONNECTION_LOST, "i").test(text)) {
    return new ToolFailure(
      "control-lost",
      `${text}: a connection of the test was lost. Its server may have ended, as iperf3's does when one is reset; or a NAT or firewall forgot it, such as iperf3's silent control connection after its idle time-out (Azure: 4 minutes by default, AWS: 350 s). The host agent keeps connections alive where the kernel lets it (Linux 5.6): use a newer image, cases that are shorter, or a longer time-out`,
    );
  }
  const unreachable = /no route to host|network is unreachable|host is unreachable|timed out/i;
  return new ToolFailure(unreachable.test(text) ? "no-route" : "tool-error", text);
}

/** The start of an output, for error messages. */
export function excerpt(output: string): string {
  const text = plainText(output).trim();
  return text === "" ? "nothing" : JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}...` : text);
}

/** The last non-empty line; on stderr, usually the reason. */
export function lastLine(text: string): string {
  return plainText(text).trimEnd().split("\n").at(-1)?.trim() ?? "";
}
