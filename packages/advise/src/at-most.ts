/** The answer for the highest peak that the log's intervals allow: a record of 10 minutes may hold one busy minute. */
import { formatBitRate } from "../../../bench/index.ts";
import { cloudRecords } from "../../../bench/topologies/clouds.ts";
import { type Answer, type AnswerData, isSame, pricedIn } from "../../../report/choice/answer.ts";
import { type Assessed, demandOn } from "../../../report/choice/assess.ts";
import { mayCarry } from "../../../report/choice/capacity.ts";
import { nameOf } from "../../../report/choice/words.ts";
import type { Traffic } from "./traffic.ts";
import { aLength, money } from "./words.ts";

export type AtMost = NonNullable<ReturnType<typeof atMostOf>>;

/** Share above the estimate below which the bound says nothing new. */
const LITTLE = 0.25;

/** Null where the possible peak is hardly higher. */
export function atMostOf(data: AnswerData, answer: Answer, traffic: Traffic) {
  const { peak } = traffic;
  const most = peak?.both.most ?? null;
  if (peak === null || most === null || most <= (1 + LITTLE) * peak.both.estimate) {
    return null;
  }
  const needs = {
    ...answer.needs,
    peakBitsPerSecond: most,
    seen: {
      ...answer.needs.seen,
      peakOneWayBitsPerSecond: Math.max(peak.out.most ?? most, peak.in.most ?? most),
    },
  };
  const { assessed, pick } = pricedIn(data, needs);
  const changed = assessed.filter((one) => !keeps(one, answer.assessed));
  const changes = changed.length > 0 || pick?.id !== answer.pick?.id;
  const able = changed.filter(
    (one) => one.capacity === null || mayCarry(one.capacity, demandOn(one.way, needs)),
  );
  const named = able.map(
    (one) =>
      `${nameOf(one)}${one.totalCost === null ? "" : `, ${money(one.totalCost, data.currency)} a month`}`,
  );
  return {
    /** The highest possible rate of the busiest minute, both directions together. */
    bitsPerSecond: most,
    pickId: pick?.id ?? null,
    options: assessed.flatMap(({ id, way, status, need, totalCost }) =>
      need === null
        ? []
        : {
            id,
            candidate: way.topology as string,
            status,
            size: need.size,
            gateways: need.gateways,
            totalCost,
          },
    ),
    /** Whether pick, sizes or counts differ from those for the estimate. */
    changes,
    /** Text with both peaks, and the needs of the higher one. */
    text: `${hiddenIn(traffic, peak.both.estimate, most)} ${changes ? (pick === null ? "Nothing is known to carry that." : `For that, take ${nameOf(pick)}.`) : "That changes neither way out nor size."}${named.length === 0 ? "" : ` What changes: ${named.join("; ")}.`}${finer(traffic)}`,
  };
}

function hiddenIn({ source, intervalSeconds }: Traffic, estimate: number, most: number): string {
  const seconds = Math.round(intervalSeconds);
  return source === "flow logs"
    ? `Records cover up to ${seconds} s: the busiest minute has ${formatBitRate(estimate)} where each record's bytes are spread evenly, and may have up to ${formatBitRate(most)} where they are not.`
    : `Each point covers ${aLength(seconds)}: the busiest has ${formatBitRate(estimate)} in the mean, and within it there may be up to ${formatBitRate(most)}.`;
}

/** Only AWS's flow logs can have shorter intervals. */
function finer({ source, cloud, intervalSeconds }: Traffic): string {
  return source === "flow logs" && cloudRecords[cloud].hasMinuteLogs && intervalSeconds > 60
    ? " A flow log with intervals of one minute narrows that."
    : "";
}

/** Whether another list has the way out with the same status, size and count. */
function keeps(way: Assessed, others: readonly Assessed[]): boolean {
  return others.some((other) => isSame(other, way) && other.status === way.status);
}
