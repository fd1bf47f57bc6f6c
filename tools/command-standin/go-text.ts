import { constants } from "node:os";
import { getSystemErrorMessage } from "node:util";

/**
 * Texts that the real plugin, a Go program, puts in its errors: programs and tests match them, so the stand-in uses the
 * same words.
 */

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** Text in double quotes, escaped as by Go's `%q`. */
export function quote(text: string): string {
  const escaped = text.replace(/["\\\p{C}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (ESCAPES[character]) return ESCAPES[character];
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
    if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
    return `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `"${escaped}"`;
}

/** The system's name of an error, such as `no such file or directory`. */
export function systemErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return typeof errno === "number" ? getSystemErrorMessage(errno) : message;
}

const SIGNAL_TEXTS: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGALRM: "alarm clock",
  SIGTERM: "terminated",
};

/** How a local process ended, such as `exit status 3` or `signal: killed`. */
export function localExitText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit status ${code}` : `signal: ${SIGNAL_TEXTS[signal] ?? signal}`;
}

/** How a remote process ended; `signal` has no SIG prefix, as in the SSH protocol. */
export function remoteExitText(code: number | null, signal: string | null, message = ""): string {
  if (signal === null) return `Process exited with status ${code}`;
  const number = constants.signals[`SIG${signal}` as NodeJS.Signals] ?? 0;
  const reason = message === "" ? "" : `. Reason was: ${message}`;
  return `Process exited with status ${128 + number} from signal ${signal}${reason}`;
}
