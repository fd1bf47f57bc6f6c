/** Changes of a NAT instance's set-up that a running machine accepts, and the program that applies them. */
import { readFileSync } from "node:fs";
import type { NatSetupArgs } from "./args.ts";
import type { HighAvailability, PairMove } from "./high-availability-args.ts";

const program = readFileSync(new URL("./set-up-again.sh", import.meta.url), "utf8");

/** Shell text that sets a machine up by the script on its standard input, or in `SET_UP`: as root, or with sudo. */
export const setUpAgain: string = program.replaceAll(/^# .*\n/gm, "");

/** Options that only change rules, so that running machines take them. */
const ofRunningMachines: readonly (keyof NatSetupArgs)[] = [
  "privateCidrs",
  "sshCidrs",
  "strict",
  "portRange",
  "inbound",
  "checks",
  "privateIpv6Cidrs",
  "sourceAddresses",
];

/** Options of a pair that only change rules, or parameters with which the pair's program restarts. */
const ofRunningPairs: readonly (keyof HighAvailability)[] = [
  "check",
  "advertisementMs",
  "key",
  "refusal",
  "inbound",
];

/**
 * The options that a machine keeps for life, as text. {@link setUpAgain} changes all others on the running machine, whose
 * sessions continue. The kept ones install something, or leave something behind that no later set-up removes.
 */
export function lifelongOptions({ highAvailability, ...args }: NatSetupArgs): string {
  const pair = highAvailability && { highAvailability: lifelongOfPair(highAvailability) };
  return JSON.stringify({ ...without(args, ofRunningMachines), ...pair });
}

/**
 * A pair's options that a machine keeps for life. Where conntrackd copies sessions, a new peer replaces the machine,
 * because conntrackd is not restarted.
 */
function lifelongOfPair({ move, ...pair }: HighAvailability) {
  const copies = pair.translatedTo !== undefined;
  const parameters = ["routeTableIds", "elasticIpId"] satisfies (keyof Extract<PairMove, { kind: "ec2" }>)[];
  return {
    ...without(pair, copies ? ofRunningPairs : [...ofRunningPairs, "peer"]),
    move: without(move, parameters),
  };
}

function without(all: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
}
