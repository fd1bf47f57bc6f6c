/** Generates the table of presets: what each measures, how often, and how long it takes. */
import { parsePlan } from "../../bench/index.ts";
import type { Plan } from "../../bench/plan/plan.ts";
import { presets } from "../../bench/presets/index.ts";
import { readStackFile } from "../../cli/pulumi/stack-file.ts";
import { stackCost } from "../../cli/run/cost.ts";
import { duration } from "../../cli/terminal/progress-board.ts";
import { markdownTable } from "./table.ts";

/** Whether a case sends unlimited UDP. */
const floods = ({ cases }: Plan) =>
  cases.some((one) => one.tool === "iperf3" && one.protocol === "udp" && one.bitsPerSecond === 0);

/** Time of a plan on one topology, as `compare` shows it before a run. */
function measuringSeconds(plan: Plan): number {
  return stackCost({ ...readStackFile("local-direct"), plan: plan.name }, plan, null).measuringSeconds;
}

export function presetsTable(): string {
  const rows = Object.keys(presets).map((name) => {
    const plan = parsePlan(name);
    const { least, most } = plan.repeat;
    const times = least === most ? String(least) : `${least} to ${most}`;
    const cases = plan.cases.map(({ id }) => `\`${id}\``).join(", ");
    const flood = floods(plan) ? "yes" : "no";
    return [`\`${name}\``, cases, times, duration(measuringSeconds(plan)), flood];
  });
  return [
    "## Presets",
    "",
    "The time is for one topology without failures, pauses included. *UDP floods*: UDP is sent as fast as the sender can, " +
      "which loses datagrams on a direct path too; compare its loss with `direct` only.",
    "",
    markdownTable(["preset", "cases", "times", "time", "UDP floods"], rows),
  ].join("\n");
}
