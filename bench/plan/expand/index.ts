/**
 * From a case or sweep as a person writes it to the cases that run.
 *
 * A sweep is the cross product of the case's lists, in the order protocol, direction, datagram or message length,
 * streams, pairs, rate, congestion control; the last of them changes fastest. An id tells every value that was given as a
 * list, and those single ones that are not the usual: `udp-egress-64B-p20-10M`.
 *
 * @module
 */
import { type Case, PlanError } from "../plan.ts";
import { caseInputs, read, show } from "../plan-input.ts";
import { expandIperf3 } from "./iperf3.ts";
import { expandConnect, expandSockperf } from "./latency.ts";
import { expandNat } from "./nat.ts";
import { expandNtttcp } from "./ntttcp.ts";
import { expandSearch } from "./search.ts";

/** The cases of one entry of a plan, in a stable order. `index` counts from 0. @throws {PlanError} */
export function expandCase(input: unknown, index: number): Case[] {
  const tool = (input as { tool?: unknown } | null | undefined)?.tool;
  const id = (input as { id?: unknown } | null | undefined)?.id;
  const where = `case ${index + 1}${typeof id === "string" ? ` (${id})` : ""}`;
  switch (tool) {
    case "iperf3":
      return expandIperf3(read(caseInputs.iperf3, input, where), where);
    case "sockperf":
      return expandSockperf(read(caseInputs.sockperf, input, where), where);
    case "connect":
      return [expandConnect(read(caseInputs.connect, input, where), where)];
    case "nat":
      return expandNat(read(caseInputs.nat, input, where), where);
    case "ntttcp":
      return expandNtttcp(read(caseInputs.ntttcp, input, where), where);
    case "search":
      return expandSearch(read(caseInputs.search, input, where), where);
    default:
      throw new PlanError(
        `${where}: tool: got ${show(tool)}; expected one of ${Object.keys(caseInputs).join(", ")}`,
      );
  }
}
