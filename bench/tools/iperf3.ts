/**
 * iperf3, TCP and UDP throughput. Read: versions 3.9 to 3.21 as far as known; run: 3.12 and 3.16.
 *
 * @module
 */
import type { Iperf3Case } from "../plan/plan.ts";
import { ports } from "../plan/ports.ts";
import { commandLine } from "../shell.ts";
import { MAX_INTERVALS } from "./iperf3-output.ts";
import { parseIperf3 } from "./iperf3-parse.ts";
import type { Tool } from "./tool.ts";

/** Milliseconds; iperf3's own default is the kernel's, over two minutes. */
const CONNECT_TIMEOUT_MS = 5000;

/** Seconds that connecting and the exchange of results may take besides the test. */
const SETUP_SECONDS = 1;

export const iperf3: Tool<Iperf3Case> = {
  name: "iperf3",
  executables: ["iperf3"],
  reducer: "iperf3",
  retryOn: ["server is busy"],

  command(benchCase, serverAddress) {
    const { protocol, direction, streams, bitsPerSecond, datagramBytes, congestion } = benchCase;
    const { durationSeconds, omitSeconds } = benchCase;
    return commandLine([
      ...["iperf3", "-c", serverAddress, "-p", ports.iperf3, "-J", "--connect-timeout", CONNECT_TIMEOUT_MS],
      ...["-t", durationSeconds, "-i", intervalSeconds(durationSeconds)],
      ...(omitSeconds > 0 ? ["-O", omitSeconds] : []),
      ...(streams > 1 ? ["-P", streams] : []),
      ...(direction === "ingress" ? ["-R"] : []),
      ...(protocol === "udp" ? ["-u"] : []),
      ...(bitsPerSecond === null ? [] : ["-b", bitsPerSecond]),
      ...(datagramBytes === null ? [] : ["-l", datagramBytes]),
      ...(congestion === null ? [] : ["-C", congestion]),
    ]);
  },

  expectedSeconds({ durationSeconds, omitSeconds }) {
    return omitSeconds + durationSeconds + SETUP_SECONDS;
  },

  parse: parseIperf3,
};

/** One second, or wider where the series would outgrow the state. */
function intervalSeconds(durationSeconds: number): number {
  return Math.ceil(durationSeconds / MAX_INTERVALS);
}
