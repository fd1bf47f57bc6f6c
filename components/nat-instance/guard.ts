/** The guard of a NAT instance against missing rules: a second table, held by a program that restores the rules at once. */
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
