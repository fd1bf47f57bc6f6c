/**
 * The guard of a NAT instance whose rules are missing: a table of its own, held by a program that sets the rules up again at once.
 */
import { printing } from "../shared/shell.ts";
import type { NatSetupArgs } from "./args.ts";
import { NAT64_POOL } from "./operators/index.ts";
import { type Part, setUpText } from "./part.ts";
import { firewall } from "./ruleset.ts";

/**
 * The guard's table: the same firewall once more, and a chain that drops what would leave untranslated.
 *
 * Only the first packet of a flow that nothing has translated yet reaches that chain. While a chain of this type and a rule with `ct`
 * exist, the kernel keeps tracking and translating the flows that it knows. It expects the definitions of the ruleset's file.
 */
function guardRuleset(args: NatSetupArgs): string {
  const sources = [...args.privateCidrs, ...(args.nat64 ? [NAT64_POOL] : [])];
  return `table inet egress_bench_guard {
	flags owner
${firewall(args, true)}
	chain left {
		type nat hook postrouting priority srcnat + 1; policy accept;
		ip saddr { ${sources.join(", ")} } oifname $out_interface ct state new drop
	}
}
`;
}

/** Defines `start_guard`. */
export function guardPart(args: NatSetupArgs): Part {
  return {
    texts: [
      printing("guard_program", setUpText("guard.sh")),
      printing("guard_rules", guardRuleset(args)),
      setUpText("start-guard.sh"),
    ],
  };
}
