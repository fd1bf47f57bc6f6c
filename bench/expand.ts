/**
 * From a case or sweep as a person writes it to the cases that run.
 *
 * A sweep is the cross product of the case's lists, in the order protocol, direction, datagram or message
 * length, streams, pairs, rate; the last of them changes fastest. An id tells every value that was given as a list,
 * and those single ones that are not the usual: `udp-egress-64B-p20-10M`.
 *
 * @module
 */
import { type Case, type ConnectCase, type Iperf3Case, PlanError, type SockperfCase } from "./plan.ts";
import { type CaseInputs, caseInputs, read, show } from "./plan-input.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "./quantities.ts";

const DEFAULT_MESSAGE_BYTES = 64;
const DEFAULT_INTERVAL_MS = 10;

/** The cases of one entry of a plan, in a stable order. `index` counts from 0. @throws {PlanError} */
export function expandCase(input: unknown, index: number): Case[] {
  const tool = (input as { tool?: unknown } | null | undefined)?.tool;
  const id = (input as { id?: unknown } | null | undefined)?.id;
  const where = `case ${index + 1}${typeof id === "string" ? ` (${id})` : ""}`;
  switch (tool) {
    case "iperf3":
      return expandIperf3(read(caseInputs.iperf3, input, where), where);
    case "sockperf":
      return expandSockperf(read(caseInputs.sockperf, input, where));
    case "connect":
      return [expandConnect(read(caseInputs.connect, input, where))];
    default:
      throw new PlanError(
        `${where}: tool: got ${show(tool)}; expected one of ${Object.keys(caseInputs).join(", ")}`,
      );
  }
}

function expandIperf3(input: CaseInputs["iperf3"], where: string): Iperf3Case[] {
  const { protocol, direction, datagramBytes, streams, pairs, bitrate } = input;
  return product({
    protocol: protocol?.values ?? ["tcp" as const],
    direction: direction?.values ?? ["egress" as const],
    datagramBytes: datagramBytes?.values ?? [null],
    streams: streams?.values ?? [1],
    pairs: pairs?.values ?? [1],
    bitsPerSecond: bitrate?.values ?? [null],
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
  values: Pick<Iperf3Case, "protocol" | "datagramBytes" | "bitsPerSecond">,
  where: string,
): void {
  if (values.protocol === "udp" && values.bitsPerSecond === null) {
    throw new PlanError(`${where}: bitrate: got nothing; protocol udp needs ${BIT_RATE_ALLOWED}`);
  }
  if (values.protocol === "tcp" && values.datagramBytes !== null) {
    throw new PlanError(
      `${where}: datagramBytes: got ${values.datagramBytes} with protocol tcp; expected with protocol udp only`,
    );
  }
}

function expandSockperf(input: CaseInputs["sockperf"]): SockperfCase[] {
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
    ]),
    tool: "sockperf",
    direction: "egress",
    ...values,
    durationSeconds: input.durationSeconds,
    omitSeconds: 0, // sockperf leaves out its own first 400 ms
  }));
}

function expandConnect(input: CaseInputs["connect"]): ConnectCase {
  return {
    id: input.id ?? "tcp-connect",
    tool: "connect",
    protocol: "tcp",
    direction: "egress",
    durationSeconds: input.durationSeconds,
    omitSeconds: 0,
    intervalMs: input.intervalMs ?? DEFAULT_INTERVAL_MS,
  };
}

interface IdPart {
  readonly text: string;
  readonly swept: boolean | undefined;
  readonly unusual: boolean;
}

function caseId(given: string | undefined, parts: readonly IdPart[]): string {
  const told = parts.filter((part) => part.swept === true || (given === undefined && part.unusual));
  return [...(given === undefined ? [] : [given]), ...told.map((part) => part.text)].join("-");
}

/** Every combination of one value from each list; the last list changes fastest. */
function product<T extends Record<string, readonly unknown[]>>(lists: T): { [K in keyof T]: T[K][number] }[] {
  let combinations: Record<string, unknown>[] = [{}];
  for (const [key, values] of Object.entries(lists)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [key]: value })));
  }
  return combinations as { [K in keyof T]: T[K][number] }[];
}
