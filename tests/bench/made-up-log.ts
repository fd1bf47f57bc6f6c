/**
 * A synthetic AWS flow log of any size: 40 clients, 5,000 destinations of which few get most, flows of one to six minutes,
 * a record per minute and direction.
 */
import { closeSync, openSync, writeSync } from "node:fs";

const HEADER =
  "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status\n";
const CLIENTS = 40;
const DESTINATIONS = 5000;
const FLOWS_A_STEP = 4000;
const STEP_SECONDS = 10;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes a log of at least that many bytes. @returns its lines, without the header */
export function writeMadeUpLog(path: string, bytes: number): number {
  const next = random(12);
  const below = (count: number) => Math.floor(next() * count);
  const destinations = Array.from(
    { length: DESTINATIONS },
    () => `${50 + below(100)}.${below(256)}.${below(256)}.${1 + below(254)}`,
  );
  const file = openSync(path, "w");
  let written = writeSync(file, HEADER);
  let lines = 0;
  for (let time = 1_790_000_000; written < bytes; time += STEP_SECONDS) {
    const text: string[] = [];
    for (let flow = 0; flow < FLOWS_A_STEP; flow += 1) {
      const client = below(CLIENTS);
      const destination = destinations[Math.floor(DESTINATIONS * next() ** 3)] ?? "";
      text.push(...records(client, destination, 1024 + below(64_000), time + below(60), 1 + below(6), below));
    }
    lines += text.length;
    written += writeSync(file, `${text.join("\n")}\n`);
  }
  closeSync(file);
  return lines;
}

function records(
  client: number,
  destination: string,
  port: number,
  time: number,
  minutes: number,
  below: (count: number) => number,
): string[] {
  const source = `10.0.${client >> 4}.${10 + (client & 15)}`;
  const eni = `eni-0123456789abcde${16 + client}`;
  return Array.from({ length: minutes }, (_, minute) => {
    const start = time + 60 * minute;
    const end = start + below(60);
    const packets = 1 + below(200);
    const tail = `${start} ${end} ACCEPT OK`;
    return [
      `2 123456789012 ${eni} ${source} ${destination} ${port} 443 6 ${packets} ${packets * 120} ${tail}`,
      `2 123456789012 ${eni} ${destination} ${source} 443 ${port} 6 ${packets} ${packets * 900} ${tail}`,
    ];
  }).flat();
}
