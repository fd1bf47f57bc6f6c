import type { PlanInput } from "../plan/plan-input.ts";
import { THREE_TIMES } from "./shared.ts";

/**
 * Reproduces the suite published as aws-fck-nat-2024-12: UDP for 300 s, first one stream at 100 Mbit/s to 2 Gbit/s, then 10
 * to 100 streams of 5 and 10 Mbit/s, with 60 s of pause between two cases. A round takes an hour and 12 minutes.
 */
export const udpRates: PlanInput = {
  name: "udp-rates",
  repeat: THREE_TIMES,
  pauseSeconds: 60,
  cases: [
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "egress",
      bitrate: ["100M", "500M", "1G", "2G"],
      durationSeconds: 300,
      omitSeconds: 2,
    },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "egress",
      streams: [10, 20, 50, 100],
      bitrate: ["5M", "10M"],
      durationSeconds: 300,
      omitSeconds: 2,
    },
  ],
};
