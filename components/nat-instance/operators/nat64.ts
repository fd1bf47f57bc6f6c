/**
 * NAT64: IPv6-only hosts reach IPv4-only servers, by names that DNS64 answers. tayga, a package of Debian and Ubuntu,
 * translates between the protocols and gives each host a private IPv4 address; the ruleset translates that like any private
 * host's.
 */
import { textOf } from "../../shared/shell.ts";
import type { Part } from "../part.ts";

/** Default prefix of all DNS64 services (RFC 6052). */
const NAT64_PREFIX = "64:ff9b::/96";

/** IPv4 addresses for the IPv6 hosts; the end of the shared address space (RFC 6598), whose beginning others use. */
export const NAT64_POOL = "100.127.0.0/16";

/** The translator's interface. It is not in the flowtable: packets reach it by the rules. */
export const NAT64_DEVICE = "ebnat64";

/** Debian and Ubuntu packages of NAT64. */
export const NAT64_PACKAGES = ["tayga"] as const;

/** Rules beside those of IPv4. */
export const nat64Rules = {
  forward: (
    privateIpv6Cidrs: readonly string[],
  ) => `		ip6 saddr { ${privateIpv6Cidrs.join(", ")} } ip6 daddr ${NAT64_PREFIX} oifname "${NAT64_DEVICE}" ct state new accept
		iifname "${NAT64_DEVICE}" ip saddr ${NAT64_POOL} oifname $out_interface ct state new accept
`,
};

/** Defines `set_up_nat64`. */
export const nat64Part: Part = {
  settings: { nat64_device: NAT64_DEVICE, nat64_pool: NAT64_POOL, nat64_prefix: NAT64_PREFIX },
  texts: [textOf("./nat64.sh", import.meta.url)],
  steps: ["set_up_nat64"],
};
