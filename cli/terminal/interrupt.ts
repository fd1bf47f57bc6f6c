/** Ctrl-C, once for all commands. */
import { spawnSync } from "node:child_process";

/** Exit status of an interrupted command. As shells count: 128 and SIGINT's number. */
export const INTERRUPTED = 130;

const fromTerminal = Symbol("from the terminal");

/** npm passes on what the terminal has sent its child already; a person is slower. */
const SAME_PRESS_MS = 500;

/**
 * Aborted when the person wants to stop; `tell` is called once, with what then happens still to come. A second Ctrl-C
 * is an event `again` of the signal.
 */
export function onInterrupt(tell: () => void): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const stop = (reason: unknown) => {
    if (!controller.signal.aborted) {
      first = performance.now();
      controller.abort(reason);
      tell();
    } else if (performance.now() - first > SAME_PRESS_MS) {
      controller.signal.dispatchEvent(new Event("again"));
    }
  };
  process.on("SIGINT", () => stop(isInForeground() ? fromTerminal : "SIGINT"));
  process.on("SIGTERM", () => stop("SIGTERM"));
  // The terminal was closed.
  process.on("SIGHUP", () => stop("SIGHUP"));
  return controller.signal;
}

/** Whether the terminal itself has signalled all processes of the command, and not somebody only this one. */
export function isFromTerminal(interrupt: AbortSignal): boolean {
  return interrupt.reason === fromTerminal;
}

/** Whether a terminal sends its Ctrl-C to this process's group. */
function isInForeground(): boolean {
  const { stdout } = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const [group, foreground] = (stdout ?? "").trim().split(/\s+/);
  return group !== undefined && group === foreground;
}
