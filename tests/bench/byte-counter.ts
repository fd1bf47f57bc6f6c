/** Bytes that an interface of a lab host has received, read by a thread of its own while the main one waits for commands. */
import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const EVERY_MS = 10;

/** A reading: milliseconds since the epoch, and bytes. */
type Reading = readonly [atMs: number, bytes: number];

interface Counted {
  readonly file: string;
  readonly name: string;
}

/** Reads the counter every 10 ms until it is asked for its readings. */
export class ByteCounter {
  readonly #worker: Worker;

  /** @param pid A process in the host's network. */
  constructor(pid: number, name: string) {
    this.#worker = new Worker(new URL(import.meta.url), {
      workerData: { file: `/proc/${pid}/net/dev`, name },
    });
  }

  /** Ends the thread. The result tells the bytes per second between two times, in milliseconds since the epoch. */
  async end(): Promise<(fromMs: number, toMs: number) => number> {
    const readings = await new Promise<readonly Reading[]>((resolve, reject) => {
      this.#worker.once("message", resolve).once("error", reject).postMessage("end");
    });
    return (fromMs, toMs) => ((bytesAt(readings, toMs) - bytesAt(readings, fromMs)) * 1000) / (toMs - fromMs);
  }
}

/** Interpolates between the readings before and after a time. */
function bytesAt(readings: readonly Reading[], atMs: number): number {
  const next = readings.findIndex(([ms]) => ms >= atMs);
  const [before, after] = [readings[next - 1], readings[next]];
  if (before === undefined || after === undefined) {
    throw new Error(
      `expected readings around ${atMs} ms; got ${readings.at(0)?.[0]} to ${readings.at(-1)?.[0]}`,
    );
  }
  return before[1] + ((after[1] - before[1]) * (atMs - before[0])) / (after[0] - before[0]);
}

if (!isMainThread) {
  const { file, name } = workerData as Counted;
  const readings: Reading[] = [];
  const timer = setInterval(() => {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((one) => one.trimStart().startsWith(`${name}:`));
    readings.push([
      performance.timeOrigin + performance.now(),
      Number(line?.split(":")[1]?.trim().split(/\s+/)[0]),
    ]);
  }, EVERY_MS);
  parentPort?.once("message", () => {
    clearInterval(timer);
    parentPort?.postMessage(readings);
  });
}
