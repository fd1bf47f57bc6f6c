/** The part of the set-up that notices foreign changes of a NAT instance's rules or kernel settings. */
import { assignments } from "../shared/shell.ts";
import { DATA_PLANE_FILE } from "./data-plane.ts";
import { type Part, setUpText } from "./part.ts";
import { SYSCTL_FILE } from "./sysctls.ts";

/** File with one line per repaired drift: its time, in UTC. Lost at the machine's next boot. */
export const DRIFTS_FILE = "/run/egress-bench-nat-drifts";

/**
 * Settings and text that define `in_force`, which prints the rules and settings that decide forwarding. A pair never runs
 * iptables.
 */
function inForce(pair: boolean) {
  return {
    settings: {
      sysctl_file: SYSCTL_FILE,
      data_plane_file: DATA_PLANE_FILE,
      other_rules: pair ? ":" : "iptables_in_force",
    },
    texts: [setUpText("in-force.sh"), ...(pair ? [] : [setUpText("iptables-in-force.sh")])],
  };
}

/** Shell that defines just `in_force`, for the lab. */
export function inForceScript(): string {
  const { settings, texts } = inForce(false);
  return `${assignments(settings)}${texts.join("")}`;
}

/** Defines `remember_rules`, `remember_set_up` and `leave_unless_drifted`. */
export function driftPart(pair: boolean): Part {
  const { settings, texts } = inForce(pair);
  return {
    settings: { ...settings, drifts_file: DRIFTS_FILE },
    texts: [...texts, setUpText("drift.sh")],
    steps: ["remember_rules"],
  };
}
