/** Describes each case of a results document, for headings and axes. */

import type { Question } from "../../bench/figures/index.ts";
import type { Case } from "../../bench/plan/plan.ts";
import type { Results } from "../../bench/results/index.ts";
import { toolNamed, toolOf } from "../../bench/tools/index.ts";

/** A case by its id, and what it measures. */
export interface CaseInfo {
  readonly id: string;
  readonly tool: string;
  /** The question that its figures answer; null: the tool is not known to this version. */
  readonly question: Question | null;
  readonly protocol: Case["protocol"];
  readonly direction: Case["direction"];
  /** Whether both directions were loaded at once; `direction` is then meaningless. */
  readonly bothWays: boolean;
  /** Null: it has no single number of streams. */
  readonly streams: number | null;
  /** Client-server pairs that were summed; null: one. */
  readonly pairs: number | null;
  /** Per stream; 0: as fast as the sender can; null: TCP's own pace, or unknown. */
  readonly bitsPerSecond: number | null;
  readonly datagramBytes: number | null;
  readonly title: string;
}

/** Describes every case of a results document, in the order of its plan. */
export function describeCases({ plan, cases }: Results): CaseInfo[] {
  const planned = new Map(plan.cases.map((one) => [one.id, describe(one)]));
  const others = cases
    .filter(({ id }) => !planned.has(id))
    .map(({ id, tool }) => [id, named(id, tool)] as const);
  return [...new Map([...planned, ...others]).values()];
}

function describe(one: Case): CaseInfo {
  const { id, tool, protocol, direction } = one;
  return {
    ...{ id, tool, protocol, direction },
    question: toolOf(one).question,
    bothWays: "bothWays" in one && one.bothWays === true,
    streams: "streams" in one ? one.streams : null,
    pairs: "pairs" in one ? one.pairs : null,
    bitsPerSecond: "bitsPerSecond" in one ? one.bitsPerSecond : null,
    datagramBytes: "datagramBytes" in one ? one.datagramBytes : null,
    title: toolOf(one).title(one),
  };
}

/** A case that is missing from the plan, described by its name alone. */
function named(id: string, tool: string): CaseInfo {
  const protocol = /^udp/.test(id) ? "udp" : "tcp";
  const direction = /ingress/.test(id) ? "ingress" : "egress";
  const unknown = { bothWays: false, streams: null, pairs: null, bitsPerSecond: null, datagramBytes: null };
  return {
    id,
    tool,
    question: toolNamed(tool)?.question ?? null,
    protocol,
    direction,
    ...unknown,
    title: id,
  };
}
