/**
 * Cases of ntttcp.
 *
 * @module
 */
import type { NtttcpCase } from "../plan.ts";
import type { CaseInputs } from "../plan-input.ts";
import { caseId, product } from "./case-id.ts";
import { checkDatagrams } from "./datagrams.ts";

/** Fits into any path's packets, tunnels' too. */
const DEFAULT_DATAGRAM_BYTES = 1400;

/** A sweep over protocol, direction, datagram length and streams. @throws {PlanError} */
export function expandNtttcp(input: CaseInputs["ntttcp"], where: string): NtttcpCase[] {
  const { protocol, direction, datagramBytes, streams, durationSeconds } = input;
  const { connectionsPerStream = 1, omitSeconds = 0 } = input;
  return product({
    protocol: protocol?.values ?? ["tcp" as const],
    direction: direction?.values ?? ["egress" as const],
    datagramBytes: datagramBytes?.values ?? [null],
    streams: streams?.values ?? [1],
  }).map((values) => {
    checkDatagrams(values, where);
    const udp = values.protocol === "udp";
    const bytes = udp ? (values.datagramBytes ?? DEFAULT_DATAGRAM_BYTES) : null;
    const id = caseId(input.id, [
      { text: `ntttcp-${values.protocol}`, swept: protocol?.swept, unusual: true },
      { text: values.direction, swept: direction?.swept, unusual: true },
      { text: `${bytes}B`, swept: datagramBytes?.swept, unusual: values.datagramBytes !== null },
      { text: `p${values.streams}`, swept: streams?.swept, unusual: values.streams > 1 },
      { text: `n${connectionsPerStream}`, swept: undefined, unusual: connectionsPerStream > 1 },
    ]);
    return {
      ...{ id, tool: "ntttcp" as const, ...values, datagramBytes: bytes },
      ...{ connectionsPerStream, durationSeconds, omitSeconds },
    };
  });
}
