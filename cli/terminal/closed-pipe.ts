/** Output that nobody reads any more. */

/** Has a command go on quietly when the reader of its output ends first, as `head` does. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") {
        throw error;
      }
    });
  }
}
