/** Cases of each tool, and what it printed for them. */
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import { connectCase, connectOutput, fixture, iperf3Case, ntttcpCase, sockperfCase } from "./fixture.ts";
import { udpCase } from "./iperf3-case.ts";
import { outputs } from "./nat-case.ts";

const planned = (entry: object) => parsePlan({ cases: [{ durationSeconds: 1, ...entry }] }).cases[0]!;

export const fourStreams = { ...iperf3Case, streams: 4 };

/** Every second of iperf3 is read alike. */
function short(path: string): string {
  const { intervals = [], ...rest } = JSON.parse(fixture(`iperf3/${path}.json`));
  return JSON.stringify({ ...rest, intervals: intervals.slice(0, 3) });
}

const load = { protocol: "tcp", direction: "egress", streams: 1, bitsPerSecond: null } as const;
const ended = (stdout: string) => ({ stdout, stderr: "", exitCode: 0 });
const underLoad = {
  ...{ version: 1, covered: true },
  ...{ probe: ended(JSON.stringify(connectOutput)), load: ended(short("3.12-tcp-omit")) },
};

export const printed: readonly (readonly [Case, string])[] = [
  [iperf3Case, short("3.12-tcp-omit")],
  [fourStreams, short("3.12-tcp-parallel-4")],
  [iperf3Case, short("3.12-no-server")],
  [iperf3Case, short("3.12-bidir")],
  [udpCase, short("3.12-udp-64B")],
  [udpCase, short("3.12-udp-reverse")],
  [udpCase, short("hand-made/3.9-udp")],
  [sockperfCase, fixture("sockperf/3.7-ping-pong-full-rtt.txt")],
  [sockperfCase, fixture("sockperf/3.7-no-server.txt")],
  [ntttcpCase, fixture("ntttcp/1.4.3-tcp-verbose.txt")],
  [ntttcpCase, fixture("ntttcp/1.4.3-tcp-verbose.xml")],
  [{ ...ntttcpCase, protocol: "udp", streams: 2, datagramBytes: 1400 }, fixture("ntttcp/1.4.3-udp.txt")],
  [connectCase, JSON.stringify(connectOutput)],
  [{ ...connectCase, load }, JSON.stringify(underLoad)],
  [planned({ tool: "http", durationSeconds: 5 }), fixture("http/kept-http2.json")],
  [planned({ tool: "search", goal: "pdr", maxBitrate: "3G", streams: 2 }), fixture("search/3.12-pdr.json")],
  [planned({ tool: "failover", failure: "kill", durationSeconds: 20 }), fixture("failover/pair-kill.json")],
  ...outputs.map(([benchCase, output]) => [benchCase, JSON.stringify(output)] as const),
];
