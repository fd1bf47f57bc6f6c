/** usage: node client.ts PORT SECONDS: connects every 10 ms by Node's own sockets. Prints the same as `client.py`. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const INTERVAL_MS = 10;
const TIMEOUT_MS = 3000;
const [port, seconds] = process.argv.slice(2).map(Number) as [number, number];

/** Microseconds until a connection was up; -1 if it never was. */
function attempt(): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (took: number) => {
      clearTimeout(timer);
      socket.resetAndDestroy();
      resolve(took);
    };
    const timer = setTimeout(() => end(-1), TIMEOUT_MS);
    socket.once("connect", () => end((performance.now() - begun) * 1000));
    socket.on("error", () => end(-1));
  });
}

const begin = performance.now();
const results: Promise<string>[] = [];
for (let number = 0; number < (seconds * 1000) / INTERVAL_MS; number += 1) {
  await pause(Math.max(0, begin + number * INTERVAL_MS - performance.now()));
  const at = performance.now() - begin;
  results.push(attempt().then((took) => `${at.toFixed(3)} ${took.toFixed(1)}`));
}
for (const result of results) {
  process.stdout.write(`${await result}\n`);
}
