/** Options for operators of a NAT instance: NAT64 and a window for upgrades. */
import { textOf } from "../../shared/shell.ts";
import type { Part } from "../part.ts";

// NAT64: IPv6-only hosts reach IPv4-only servers, by names that DNS64 answers. tayga, a package of Debian and Ubuntu,
// translates between the protocols and gives each host a private IPv4 address; the ruleset translates that like any private
// host's.

/** Default prefix of all DNS64 services (RFC 6052). */
const NAT64_PREFIX = "64:ff9b::/96";

/** IPv4 addresses for the IPv6 hosts; the end of the shared address space (RFC 6598), whose beginning others use. */
export const NAT64_POOL = "100.127.0.0/16";

/** The translator's interface. It is not in the flowtable: packets reach it by the rules. */
export const NAT64_DEVICE = "ebnat64";

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

/** Days as systemd and the option write them. */
export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** When packages are upgraded. The option's schema is in `option-schemas.ts`, as the lab loads this file without zod. */
interface UpgradeWindow {
  readonly at: string;
  readonly reboot?: boolean | undefined;
}

/** The window an hour later, for a pair's second machine: both never upgrade at once. */
export function anHourLater({ at, ...window }: UpgradeWindow): UpgradeWindow {
  const [time = "", day] = at.split(" ").reverse();
  const hour = Number(time.slice(0, 2)) + 1;
  const next = DAYS[(DAYS.indexOf(day as (typeof DAYS)[number]) + 1) % DAYS.length];
  const shown = `${String(hour % 24).padStart(2, "0")}${time.slice(2)}`;
  const date = day === undefined ? "" : `${hour < 24 ? day : next} `;
  return { ...window, at: `${date}${shown}` };
}

/** The window in systemd's format: `Sun *-*-* 03:30`. */
function calendarOf({ at }: UpgradeWindow): string {
  const [time, day] = at.split(" ").reverse();
  return `${day === undefined ? "" : `${day} `}*-*-* ${time}`;
}

/** Defines `set_upgrade_window`. */
export function upgradeWindowPart(window: UpgradeWindow): Part {
  return {
    settings: { upgrade_calendar: calendarOf(window), upgrade_reboot: String(window.reboot ?? false) },
    texts: [textOf("./upgrade-window.sh", import.meta.url)],
    steps: ["set_upgrade_window"],
  };
}
