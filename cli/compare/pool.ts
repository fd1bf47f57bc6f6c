/**
 * Runs all, at most `width` at a time, in their order; answers are in that order too.
 *
 * @throws {Error} the first error; running tasks continue.
 */
export async function pool<T>(all: readonly (() => Promise<T>)[], width: number): Promise<T[]> {
  const answers: T[] = [];
  const waiting = [...all.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      answers[next[0]] = await next[1]();
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return answers;
}
