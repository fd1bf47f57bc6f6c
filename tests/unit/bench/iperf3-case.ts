import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { ended, fixture, iperf3Case } from "./fixture.ts";

export const udpCase: Iperf3Case = { ...iperf3Case, protocol: "udp", bitsPerSecond: 1e9, datagramBytes: 64 };

// biome-ignore lint/suspicious/noExplicitAny: recordings are edited anywhere
type Json = Record<string, any>;

export function edited(path: string, edit: (document: Json) => void): string {
  const document = JSON.parse(fixture(path)) as Json;
  edit(document);
  return JSON.stringify(document);
}

export function parse(stdout: string, benchCase: Iperf3Case, how: Partial<ParseContext<Iperf3Case>> = {}) {
  return iperf3.parse(stdout, ended(benchCase, how));
}

/** All figures but streams and series, those that are null left out. */
export function figures(stdout: string, benchCase: Iperf3Case) {
  const { streams: _, series: __, ...rest } = parse(stdout, benchCase).measurement;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}
