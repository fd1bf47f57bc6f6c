/**
 * The set-up of a pair of NAT instances: conntrackd keeps the standby's copy of the connections, and the program of `pair/`
 * decides which machine carries and takes over. Lab and clouds share it; only what a take-over moves differs.
 */

import { readdirSync, readFileSync } from "node:fs";
import { printing } from "../shared/shell.ts";
import { DEFAULT_CHECKS } from "./forwarding-check.ts";
import type { HighAvailability, PairMove } from "./high-availability-args.ts";
import { outerAddressPart } from "./outer-address.ts";
import { conntrackdConfiguration, HA_PROGRAM, SIGNS_PORT } from "./pair-configuration.ts";
import { type Part, setUpText } from "./part.ts";

/**
 * Packages of a pair on Debian and Ubuntu, each named after its program. A pair without copies of connections needs only
 * `python3`.
 */
export const HA_PACKAGES = ["conntrack", "conntrackd", "python3"] as const;

/** Defines `set_up_pair`. @param idleSeconds Time-out of a connection after a take-over. */
export function pairPart(ha: HighAvailability, idleSeconds: number): Part {
  const { self, move, refusal } = ha;
  const copies = ha.translatedTo !== undefined;
  const outer = ha.outerAddress === undefined ? undefined : outerAddressPart(ha.outerAddress);
  return {
    settings: {
      outer_address: undefined,
      ...outer?.settings,
      own_address: self,
      pair_tools: HA_PACKAGES.filter((name) => name === "python3" || copies),
      copies_sessions: copies,
      pair_program: HA_PROGRAM,
      refusal,
    },
    texts: [
      ...(copies ? [printing("conntrackd_configuration", conntrackdConfiguration(ha, idleSeconds))] : []),
      printing("pair_parameters", `${JSON.stringify(pairParameters(ha))}\n`),
      sources(move.kind),
      ...(outer?.texts ?? []),
      setUpText("pair.sh"),
    ],
    steps: ["set_up_pair"],
  };
}

/** A shell function that writes the program's files into a directory. */
function sources(kind: HighAvailability["move"]["kind"]): string {
  const files = pairSources(kind).map(
    ([path, text]) => `  cat > "$1/${path}" <<'END_OF_SOURCE'\n${text}END_OF_SOURCE\n`,
  );
  return `pair_sources() {\n${files.join("")}}\n`;
}

const DEFAULT_ADVERTISEMENT_MS = 100;
/** Kinds of {@link PairMove}, one file each; the simple ones import `nothing`. */
const KINDS: readonly string[] = ["ec2", "probe", "addresses", "nothing"] satisfies PairMove["kind"][];

/** The parameters that `pair/main.py` reads as JSON. */
function pairParameters(ha: HighAvailability): Record<string, unknown> {
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
