/** The time that a cell may take. */
import type { MatrixFile } from "./file.ts";
import type { Task } from "./schedule.ts";

/** A cell's bound: so many times its expected time, and a fixed time more. */
const PATIENCE = { times: 3, seconds: 1800 };

/** Seconds after which a cell is ended: the file's, else several times what is expected. */
export function timeoutSeconds(
  { seconds }: Pick<Task, "seconds">,
  { cellMinutes }: Pick<MatrixFile, "cellMinutes">,
): number {
  return cellMinutes === undefined ? seconds * PATIENCE.times + PATIENCE.seconds : cellMinutes * 60;
}

/** The person's interrupt, or the end of a cell's time. */
export function withTimeout(interrupt: AbortSignal, seconds: number) {
  const own = new AbortController();
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      own.abort("late");
    },
    Math.min(seconds * 1000, 2 ** 31 - 1),
  );
  const stop = () => own.abort(interrupt.reason);
  const again = () => own.signal.dispatchEvent(new Event("again"));
  if (interrupt.aborted) {
    stop();
  }
  interrupt.addEventListener("abort", stop, { once: true });
  interrupt.addEventListener("again", again);
  return {
    signal: own.signal,
    isLate: () => late,
    clear: () => {
      clearTimeout(timer);
      interrupt.removeEventListener("abort", stop);
      interrupt.removeEventListener("again", again);
    },
  };
}
