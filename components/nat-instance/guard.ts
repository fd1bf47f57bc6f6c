/**
 * The guard of a NAT instance whose rules are missing: a table of its own, held by a program that sets the rules up again at once.
 */
import { printing } from "../shared/shell.ts";
import { type Part, setUpText } from "./part.ts";

/**
 * The rules that the program holds.
 *
 * Only the first packet of a flow that nothing has translated yet reaches the chain: other packets pay nothing. While a chain
 * of this type and a rule with `ct` exist, the kernel keeps tracking and translating the flows that it knows.
 * @param out The outside interface. @default what the set-up replaces by it
 */
export function guardRules(privateCidrs: readonly string[], out = "@out@"): string {
  const [first, ...others] = privateCidrs;
  const hosts = others.length === 0 ? first : `{ ${privateCidrs.join(", ")} }`;
  const rules = `ip saddr ${hosts} oifname ${out} ct state new drop;`;
  return `table inet egress_bench_guard { flags owner; chain left { type nat hook postrouting priority srcnat + 1; ${rules} }; }`;
}

/** Defines `start_guard`. */
export function guardPart(privateCidrs: readonly string[]): Part {
  return {
    settings: { guard_rules: guardRules(privateCidrs) },
    texts: [printing("guard_program", setUpText("guard.sh")), setUpText("start-guard.sh")],
  };
}
