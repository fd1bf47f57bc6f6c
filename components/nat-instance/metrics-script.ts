/** The part of the set-up that writes a NAT instance's own figures for Prometheus, where requested. */
import { printing, program } from "../shared/shell.ts";
import type { NatSetupArgs } from "./args.ts";
import { DATA_PLANE_FILE } from "./data-plane.ts";
import { DRIFTS_FILE } from "./drift.ts";
import { HA_PROGRAM } from "./pair-configuration.ts";
import { type Part, setUpText } from "./part.ts";

/** File in the directory of node_exporter's textfile collector. */
const METRICS_FILE = "egress_bench_nat.prom";

/** Directory of figures that only a publisher reads. */
const METRICS_DIRECTORY = "/run/egress-bench-metrics";

/** Defines `write_metrics`, and `publish_metrics` if a program publishes them. */
export function metricsPart({
  publisher,
  metricsDirectory: directory = publisher && METRICS_DIRECTORY,
  highAvailability,
}: Pick<NatSetupArgs, "publisher" | "metricsDirectory" | "highAvailability">): Part[] {
  if (directory === undefined) {
    return [];
  }
  const file = `${directory}/${METRICS_FILE}`;
  const writing: Part = {
    settings: { metrics_directory: directory },
    texts: [printing("metrics_text", metricsProgram(file, highAvailability)), setUpText("metrics.sh")],
    steps: ["write_metrics"],
  };
  const publishing = (text: string): Part => ({
    settings: { metrics_file: file },
    texts: [printing("publisher_text", text), setUpText("publishing.sh")],
    steps: ["publish_metrics"],
  });
  return publisher === undefined ? [writing] : [writing, publishing(publisher)];
}

function metricsProgram(file: string, ha: NatSetupArgs["highAvailability"]): string {
  const pair = ha && [ha.self, ha.peer].toSorted().join(" ");
  const settings = {
    metrics_file: file,
    data_plane_file: DATA_PLANE_FILE,
    drifts_file: DRIFTS_FILE,
    pair_program: HA_PROGRAM,
    pair,
  };
  return program("Writes a NAT instance's figures.", settings, [setUpText("metrics-program.sh")]);
}
