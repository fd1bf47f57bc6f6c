/**
 * How a NAT instance tests its own forwarding, which a running process does not prove: a network behind the machine
 * connects to an address outside, through the machine's rules and translation, and back.
 */
import type { NatSetupArgs } from "./args.ts";
import { type Part, setUpText } from "./part.ts";

/** The client's address in the check's network, as in `set-up/check-network.sh`. */
export const CHECK_CLIENT = "169.254.77.2";

/**
 * Rules that let the check's client out, under the machine's own address. A single machine's client enters by the real inside
 * interface; a pair's comes by a link of its own, for want of room in user data.
 */
export const checkRules = {
  forward: ({ highAvailability }: Pick<NatSetupArgs, "highAvailability">) =>
    highAvailability === undefined
      ? `ether saddr $check_mac ip saddr ${CHECK_CLIENT} ct state new accept`
      : `iifname "ebcheck0" ct state new accept`,
  postrouting: `ip saddr ${CHECK_CLIENT} oifname $out_interface masquerade`,
} as const;

/**
 * TCP ports outside that forwarding is tested against: any answer proves it. Addresses of four owners (Cloudflare, Google,
 * Quad9, Alibaba), since each is away at times or in some country; no names, since a name server or an interface endpoint
 * may answer with something inside.
 */
const CHECKS: NonNullable<NatSetupArgs["checks"]> = ["1.1.1.1", "8.8.8.8", "9.9.9.9", "223.5.5.5"].map(
  (address) => ({ address, port: 443 }),
);

/** Makes the check's network and defines `watch_forwarding`. A pair's program tests by itself, each second. */
export function checkPart({ checks = CHECKS, highAvailability }: NatSetupArgs): Part {
  const alone = highAvailability === undefined;
  const settings = { check_targets: checks.map(({ address, port }) => `${address}/${port}`) };
  return {
    ...(alone ? { settings } : {}),
    texts: [
      setUpText("check-network.sh"),
      alone ? setUpText("watch-forwarding.sh") : "watch_forwarding() { :; }\n",
    ],
    steps: alone ? ["set_up_check", "enter_by_inside"] : ["set_up_check"],
  };
}
