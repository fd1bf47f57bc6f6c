/** The program that runs on both machines of a pair: the Python files of `pair/`, and the parameters that they read. */
import { readdirSync, readFileSync } from "node:fs";
import { DEFAULT_CHECKS } from "./forwarding-check.ts";
import type { HighAvailability, PairMove } from "./high-availability-args.ts";
import { SIGNS_PORT } from "./pair-configuration.ts";

const DEFAULT_ADVERTISEMENT_MS = 100;
/** Kinds of {@link PairMove}, one file each; the simple ones import `nothing`. */
const KINDS: readonly string[] = ["ec2", "probe", "addresses", "nothing"] satisfies PairMove["kind"][];

/** The parameters that `pair/main.py` reads as JSON. */
export function pairParameters(ha: HighAvailability): Record<string, unknown> {
  const { self, peer, translatedTo, move, check, advertisementMs = DEFAULT_ADVERTISEMENT_MS, key } = ha;
  const sessions = translatedTo !== undefined;
  const checks = check === undefined ? DEFAULT_CHECKS : [check];
  return { self, peer, port: SIGNS_PORT, advertisementMs, sessions, checks, outside: move, key };
}

/** Name and text of each file that a machine of this kind needs. */
export function pairSources(kind: PairMove["kind"]): [name: string, text: string][] {
  const directory = new URL("./pair/", import.meta.url);
  const others = KINDS.filter((one) => one !== kind && one !== "nothing").map((one) => `${one}.py`);
  return readdirSync(directory)
    .filter((name) => name.endsWith(".py") && !others.includes(name))
    .sort()
    .map((name) => [name, readFileSync(new URL(name, directory), "utf8")]);
}
