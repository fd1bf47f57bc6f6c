/** The part of the set-up that enables a data plane: the requested one, or the next simpler one. */
import type { DataPlane } from "../../bench/results/hosts.ts";
import { printing } from "../shared/shell.ts";
import type { NatSetupArgs } from "./args.ts";
import { type Part, setUpText } from "./part.ts";
import { flowtableRules, inputRuleset, natRuleset } from "./ruleset.ts";

/** File in which a machine names the data plane it runs, one word. */
export const DATA_PLANE_FILE = "/run/egress-bench-data-plane";

export const DEFAULT_DATA_PLANE: DataPlane = "flowtable";

/** Packages that a data plane needs beyond those of every NAT instance. */
export function dataPlanePackages(dataPlane: DataPlane = DEFAULT_DATA_PLANE): readonly string[] {
  return dataPlane === "iptables" ? ["iptables"] : [];
}

/** Defines `load_data_plane`, which writes the data plane's name to {@link DATA_PLANE_FILE}. */
export function dataPlanePart(args: NatSetupArgs): Part {
  const { dataPlane = DEFAULT_DATA_PLANE, strict, highAvailability } = args;
  // A pair never ran another data plane's rule.
  const alone = highAvailability === undefined;
  return {
    settings: { wanted_data_plane: dataPlane, is_strict: strict, data_plane_file: DATA_PLANE_FILE },
    texts: [
      printing("ruleset_text", natRuleset(args)),
      printing("masquerading_text", natRuleset(args, false)),
      printing("flowtable_text", flowtableRules),
      printing("flowtable_probe", setUpText("flowtable-probe.sh")),
      setUpText("data-plane.sh"),
      ...(alone ? [setUpText("iptables-rule.sh")] : []),
      ...(dataPlane === "iptables"
        ? [printing("input_ruleset", inputRuleset(args)), setUpText("iptables.sh")]
        : []),
    ],
    steps: ["load_data_plane", ...(alone ? ["remove_iptables"] : [])],
  };
}
