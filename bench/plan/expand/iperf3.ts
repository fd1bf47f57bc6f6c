/**
 * Cases of iperf3.
 *
 * @module
 */
import { type Iperf3Case, PlanError } from "../plan.ts";
import { type CaseInputs, show } from "../plan-input.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "../quantities.ts";
import { caseId, type IdPart, product } from "./case-id.ts";
import { checkDatagrams } from "./datagrams.ts";

/** A sweep over protocol, direction, datagram length, streams, pairs, rate and congestion control. @throws {PlanError} */
export function expandIperf3(input: CaseInputs["iperf3"], where: string): Iperf3Case[] {
  const { protocol, direction, datagramBytes, streams, pairs, bitrate, congestion } = input;
  return product({
    protocol: protocol?.values ?? ["tcp" as const],
    direction: direction?.values ?? ["egress" as const],
    datagramBytes: datagramBytes?.values ?? [null],
    streams: streams?.values ?? [1],
    pairs: pairs?.values ?? [1],
    bitsPerSecond: bitrate?.values ?? [null],
    congestion: congestion?.values ?? [null],
  }).map((values) => {
    checkIperf3(values, where);
    const tcp = values.protocol === "tcp";
    const parts: IdPart[] = [
      { text: values.protocol, swept: protocol?.swept, unusual: true },
      { text: values.direction, swept: direction?.swept, unusual: true },
      {
        text: `${values.datagramBytes}B`,
        swept: datagramBytes?.swept,
        unusual: values.datagramBytes !== null,
      },
      { text: `p${values.streams}`, swept: streams?.swept, unusual: values.streams > 1 },
      { text: `x${values.pairs}`, swept: pairs?.swept, unusual: values.pairs > 1 },
      // UDP always has a rate, so that a single one tells nothing.
      {
        text: bitRateText(values.bitsPerSecond ?? 0),
        swept: bitrate?.swept,
        unusual: tcp && values.bitsPerSecond !== null,
      },
      {
        text: values.congestion ?? "",
        swept: congestion?.swept,
        unusual: values.congestion !== null,
      },
    ];
    const { durationSeconds, omitSeconds = 0 } = input;
    return {
      id: caseId(input.id, parts),
      tool: "iperf3",
      ...values,
      // One is told by null, so that cases from before there were pairs keep their hash.
      pairs: values.pairs > 1 ? values.pairs : null,
      durationSeconds,
      omitSeconds,
    };
  });
}

function checkIperf3(
  values: Pick<Iperf3Case, "protocol" | "datagramBytes" | "bitsPerSecond" | "congestion">,
  where: string,
): void {
  if (values.protocol === "udp" && values.bitsPerSecond === null) {
    throw new PlanError(`${where}: bitrate: got nothing; protocol udp needs ${BIT_RATE_ALLOWED}`);
  }
  checkDatagrams(values, where);
  if (values.protocol === "udp" && values.congestion !== null) {
    throw new PlanError(
      `${where}: congestion: got ${show(values.congestion)} with protocol udp; expected with protocol tcp only`,
    );
  }
}
