/**
 * The guard of a NAT instance whose rules are missing: a table of its own, held by a program that sets the rules up again at once.
 */
import { printing } from "../shared/shell.ts";
import type { NatSetupArgs } from "./args.ts";
import { type Part, setUpText } from "./part.ts";

/** Defines `start_guard`. With the data plane iptables the guard repeats the input chain, and drops untranslated packets. */
export function guardPart({ dataPlane, privateCidrs }: NatSetupArgs): Part {
  const left = `chain left { type nat hook postrouting priority srcnat + 1; ip saddr { ${privateCidrs.join(", ")} } oifname $out_interface ct state new drop; };`;
  const byIptables = dataPlane === "iptables";
  return {
    settings: {
      guarded_text: byIptables ? "input_ruleset" : "ruleset_text",
      guard_chains: byIptables && left,
    },
    texts: [printing("guard_program", setUpText("guard.sh")), setUpText("start-guard.sh")],
  };
}
