/** Handles Ctrl-C for all commands. */
import { spawnSync } from "node:child_process";

/** Exit status of an interrupted command, as in shells: 128 plus SIGINT's number. */
export const INTERRUPTED = 130;

const fromTerminal = Symbol("from the terminal");

/** Interval that counts as one key press: npm repeats the signal that the terminal has already sent. */
const SAME_PRESS_MS = 500;

/**
 * Aborted when the person interrupts; `tell` is called once, before anything reacts. A second Ctrl-C
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
  // SIGHUP: the terminal was closed.
  for (const signal of ["SIGTERM", "SIGQUIT", "SIGHUP"]) process.on(signal, () => stop(signal));
  return controller.signal;
}

/** Whether the terminal signalled all processes of the command, rather than somebody only this one. */
export function isFromTerminal(interrupt: AbortSignal): boolean {
  return interrupt.reason === fromTerminal;
}

/** Whether a terminal sends its Ctrl-C to this process's group. */
function isInForeground(): boolean {
  const { stdout } = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const [group, foreground] = (stdout ?? "").trim().split(/\s+/);
  return group !== undefined && group === foreground;
}
