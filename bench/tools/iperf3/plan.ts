/** The plan's section for iperf3, and the cases that it makes. */
import { z } from "zod";
import { caseId, caseOf, type IdPart, inputOf, product } from "../../plan/case.ts";
import {
  bitrate,
  checkDatagrams,
  datagramBytes,
  direction,
  measuredSeconds,
  omitSeconds,
  optional,
  protocol,
  streams,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { PlanError, show } from "../../plan/plan-error.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "../../plan/quantities.ts";
import { orNull, textOrNull, wholeOrNull } from "../../schema.ts";

/** Most client-server pairs of a case, and of a stack. */
export const MAX_PAIRS = 64;

const congestionError = "a TCP congestion control of the sender's kernel, such as cubic or bbr";
const congestion = z.string({ error: congestionError }).regex(/^[a-z][a-z0-9_]{0,14}$/, {
  error: congestionError,
});

export const caseSchema = caseOf("iperf3", ["tcp", "udp"], {
  streams: z.int().describe("Parallel streams."),
  bitsPerSecond: orNull.describe("Rate per stream; 0: as fast as the sender can; null: TCP's own pace."),
  datagramBytes: wholeOrNull.describe("UDP payload; null: iperf3's choice, which fits the path's MTU."),
  congestion: textOrNull.describe("TCP congestion control of the sender; null: the kernel's default."),
  pairs: wholeOrNull.describe(
    "Pairs of client and server that start at the same time, each with `streams`. Null: one pair.",
  ),
  bothWays: z
    .literal(true)
    .optional()
    .describe("Both directions at once, each with `streams`. Absent: only `direction`."),
});
export type Iperf3Case = z.infer<typeof caseSchema>;

export const input = inputOf("iperf3", "Throughput and loss by iperf3.", {
  durationSeconds: measuredSeconds,
  protocol: optional(sweep(protocol), "Protocol of the traffic.", "`tcp`"),
  direction: optional(sweep(direction), "Direction of the data.", "`egress`"),
  datagramBytes: optional(
    sweep(datagramBytes),
    "UDP payload; iperf3's own limits.",
    "iperf3's choice, which fits the path's MTU",
  ),
  streams: optional(sweep(streams), "Parallel streams; iperf3's own limit.", 1),
  pairs: optional(
    sweep(whole(1, MAX_PAIRS, "pairs")),
    "Client-server pairs that start together and are summed, each with its own `streams` and `bitrate`: one " +
      "client cannot fill a large gateway. The stack must have as many.",
    1,
  ),
  bitrate: optional(
    sweep(bitrate),
    "Rate per stream. UDP must have one: iperf3 would send 1 Mbit/s.",
    "TCP's own pace",
  ),
  congestion: optional(sweep(congestion), "TCP congestion control.", "the sender's kernel's"),
  bothWays: optional(
    z.boolean({ error: "true or false" }),
    "TCP in both directions at once, each with `streams`; the figure is their sum.",
    "`false`",
  ),
  omitSeconds: optional(omitSeconds, "Warm-up before `durationSeconds`.", 0),
});
type Input = z.output<typeof input>;

/** A sweep over protocol, direction, datagram length, streams, pairs, rate and congestion control. @throws {PlanError} */
export function expand(input: Input, where: string): Iperf3Case[] {
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
    checkBothWays(input, values, where);
    const { durationSeconds, omitSeconds = 0 } = input;
    return {
      id: caseId(input.id, idParts(input, values)),
      tool: "iperf3",
      ...values,
      // A single pair is written as null, so that cases from before pairs existed keep their hash.
      pairs: values.pairs > 1 ? values.pairs : null,
      ...(input.bothWays === true && { bothWays: true as const }),
      durationSeconds,
      omitSeconds,
    };
  });
}

type Values = Omit<Iperf3Case, "id" | "tool" | "durationSeconds" | "omitSeconds" | "bothWays">;

function checkBothWays(
  input: Input,
  { protocol, pairs }: Pick<Iperf3Case, "protocol" | "pairs">,
  where: string,
) {
  if (input.bothWays !== true) {
    return;
  }
  const wrong =
    input.direction !== undefined
      ? "direction: got a value; bothWays has both"
      : protocol === "udp"
        ? "protocol: got udp; bothWays is for TCP"
        : (pairs ?? 1) > 1
          ? `pairs: got ${pairs}; bothWays is for one pair`
          : undefined;
  if (wrong !== undefined) {
    throw new PlanError(`${where}: ${wrong}`);
  }
}

/** The properties of a case that its id names. */
function idParts(input: Input, values: Omit<Values, "pairs"> & { readonly pairs: number }): IdPart[] {
  const { protocol, direction, datagramBytes, streams, pairs, bitrate, congestion } = input;
  return [
    [values.protocol, protocol?.swept],
    input.bothWays === true ? ["both-ways"] : [values.direction, direction?.swept],
    [`${values.datagramBytes}B`, datagramBytes?.swept, values.datagramBytes !== null],
    [`p${values.streams}`, streams?.swept, values.streams > 1],
    [`x${values.pairs}`, pairs?.swept, values.pairs > 1],
    // UDP always has a rate, so a single one needs no mention.
    [
      bitRateText(values.bitsPerSecond ?? 0),
      bitrate?.swept,
      values.protocol === "tcp" && values.bitsPerSecond !== null,
    ],
    [values.congestion ?? "", congestion?.swept, values.congestion !== null],
  ];
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
