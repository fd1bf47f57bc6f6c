/**
 * How a NAT instance tests its own forwarding, which a running process does not prove: a network behind the machine
 * connects to an address outside, through the machine's rules and translation, and back.
 */
import type { NatSetupArgs } from "./args.ts";
import { type Part, setUpText } from "./part.ts";

/** The client's address in the check's network, as in `set-up/check-network.sh`. */
export const CHECK_CLIENT = "169.254.77.2";

/**
 * Translation to the machine's own address. Unlike `masquerade`, `snat` keeps connections while the address is away.
 * @param known Whether the set-up found one address, and not none or several.
 */
export const toOwn = (known: boolean, ports = ""): string =>
  known ? `snat ip to $out_address${ports && `:${ports}`}` : `masquerade${ports && ` to :${ports}`}`;

/** Rules that let the check's client out, under the machine's own address. */
export const checkRules = {
  forward: `ether saddr $check_mac ip saddr ${CHECK_CLIENT} ct state new accept`,
  postrouting: (known: boolean) => `ip saddr ${CHECK_CLIENT} oifname $out_interface ${toOwn(known)}`,
} as const;

/**
 * TCP ports outside that forwarding is tested against: any answer proves it. Addresses of four owners (Cloudflare, Google,
 * Quad9, Alibaba), since each is away at times or in some country; no names, since a name server or an interface endpoint
 * may answer with something inside.
 */
export const DEFAULT_CHECKS: NonNullable<NatSetupArgs["checks"]> = [
  "1.1.1.1",
  "8.8.8.8",
  "9.9.9.9",
  "223.5.5.5",
].map((address) => ({ address, port: 443 }));

/** Figures that a pair's program publishes each second, `METRICS_FILE` of `pair/run.py`. */
const PAIR_FIGURES = "/run/egress-bench-ha.prom";

/** Makes the check's network and defines `watch_forwarding`. */
export function checkPart({ checks = DEFAULT_CHECKS, highAvailability }: NatSetupArgs): Part {
  const targets = highAvailability?.check ? [highAvailability.check] : checks;
  return {
    settings: {
      check_targets: targets.map(({ address, port }) => `${address}/${port}`),
      pair_figures: highAvailability && PAIR_FIGURES,
    },
    texts: [setUpText("check-network.sh"), setUpText("watch-forwarding.sh")],
    steps: ["set_up_check", "enter_by_inside"],
  };
}
