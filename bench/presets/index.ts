/** The plans that go by a name: one file each, registered here. */
import type { PlanInput } from "../plan/plan-input.ts";
import { failover } from "./failover.ts";
import { natLimits } from "./nat-limits.ts";
import { ntttcp } from "./ntttcp.ts";
import { quick } from "./quick.ts";
import { rtt } from "./rtt.ts";
import { soak } from "./soak.ts";
import { standard } from "./standard.ts";
import { streams } from "./streams.ts";
import { udpRates } from "./udp-rates.ts";
import { vpn } from "./vpn.ts";

/** Plans that come with the package, by the name that `plan` takes. */
export const presets: Readonly<Record<string, PlanInput>> = {
  quick,
  standard,
  rtt,
  streams,
  "udp-rates": udpRates,
  soak,
  ntttcp,
  vpn,
  "nat-limits": natLimits,
  failover,
};
