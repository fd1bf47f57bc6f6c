/**
 * The guard of a NAT instance whose rules are missing: a table of its own, held by a program that sets the rules up again at once.
 */
import { printing } from "../shared/shell.ts";
import type { NatSetupArgs } from "./args.ts";
import { NAT64_POOL } from "./operators/index.ts";
import { type Part, setUpText } from "./part.ts";

/** Defines `start_guard`. */
export function guardPart({ privateCidrs, nat64 }: NatSetupArgs): Part {
  return {
    settings: { translated: [...privateCidrs, ...(nat64 ? [NAT64_POOL] : [])].join(", ") },
    texts: [printing("guard_program", setUpText("guard.sh")), setUpText("start-guard.sh")],
  };
}
