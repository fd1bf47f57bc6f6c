/**
 * Ctrl-C, once for all commands.
 *
 * @module
 */

/** Exit status of an interrupted command. As shells count: 128 and SIGINT's number. */
export const INTERRUPTED = 130;

/** Aborted when the person wants to stop; `tell` is called once, with what then happens still to come. */
export function onInterrupt(tell: () => void): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (!controller.signal.aborted) {
      tell();
      controller.abort();
    }
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}
