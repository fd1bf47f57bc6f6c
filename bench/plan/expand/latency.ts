/**
 * Cases that measure latency, at rest or under load.
 *
 * @module
 */
import { type ConnectCase, type Load, PlanError, type SockperfCase } from "../plan.ts";
import type { CaseInputs } from "../plan-input.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "../quantities.ts";
import { caseId, type IdPart, product } from "./case-id.ts";

const DEFAULT_MESSAGE_BYTES = 64;
const DEFAULT_INTERVAL_MS = 10;

/** A sweep over protocol and message length. @throws {PlanError} */
export function expandSockperf(input: CaseInputs["sockperf"], where: string): SockperfCase[] {
  const load = readLoad(input.load, where);
  return product({
    protocol: input.protocol?.values ?? ["tcp" as const],
    messageBytes: input.messageBytes?.values ?? [DEFAULT_MESSAGE_BYTES],
  }).map((values) => ({
    id: caseId(input.id, [
      { text: `${values.protocol}-ping-pong`, swept: input.protocol?.swept, unusual: true },
      {
        text: `${values.messageBytes}B`,
        swept: input.messageBytes?.swept,
        unusual: values.messageBytes !== DEFAULT_MESSAGE_BYTES,
      },
      loadPart(load),
    ]),
    tool: "sockperf",
    direction: "egress",
    ...values,
    durationSeconds: input.durationSeconds,
    omitSeconds: 0, // sockperf leaves out its own first 400 ms
    load,
  }));
}

/** One case. @throws {PlanError} */
export function expandConnect(input: CaseInputs["connect"], where: string): ConnectCase {
  const load = readLoad(input.load, where);
  return {
    id: caseId(input.id, [{ text: "tcp-connect", swept: false, unusual: true }, loadPart(load)]),
    tool: "connect",
    protocol: "tcp",
    direction: "egress",
    durationSeconds: input.durationSeconds,
    omitSeconds: 0,
    intervalMs: input.intervalMs ?? DEFAULT_INTERVAL_MS,
    load,
  };
}

function readLoad(input: CaseInputs["connect"]["load"], where: string): Load | null {
  if (input === undefined) {
    return null;
  }
  const { protocol = "tcp", direction = "egress", streams = 1, bitrate = null } = input;
  if (protocol === "udp" && bitrate === null) {
    throw new PlanError(`${where}: load: bitrate: got nothing; protocol udp needs ${BIT_RATE_ALLOWED}`);
  }
  return { protocol, direction, streams, bitsPerSecond: bitrate };
}

function loadPart(load: Load | null): IdPart {
  const text = load && [
    ...["under", load.protocol, load.direction],
    ...(load.streams > 1 ? [`p${load.streams}`] : []),
    ...(load.bitsPerSecond === null ? [] : [bitRateText(load.bitsPerSecond)]),
  ];
  return { text: text?.join("-") ?? "", swept: false, unusual: load !== null };
}
