/** Time limit of a cell. */
import type { MatrixFile } from "./file.ts";
import type { Task } from "./schedule.ts";

/** Default time limit: a multiple of the expected time plus a fixed time. */
const PATIENCE = { times: 3, seconds: 1800 };

/** Seconds after which a cell is ended: the file's limit, else the default. */
export function timeoutSeconds(
  { seconds }: Pick<Task, "seconds">,
  { cellMinutes }: Pick<MatrixFile, "cellMinutes">,
): number {
  return cellMinutes === undefined ? seconds * PATIENCE.times + PATIENCE.seconds : cellMinutes * 60;
}

/** Combines the person's interrupt with a cell's time limit. */
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
