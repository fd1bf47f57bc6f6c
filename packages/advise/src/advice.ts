/** Turns traffic into advice: each way out's needs and cost, and the recommended one. */
import { type Candidate, candidates, isNatInstance } from "../../../bench/topologies/limits.ts";
import { type AnswerData, answerOf } from "../../../report/choice/answer.ts";
import { type Assessed, assess, rulesFor, type Way } from "../../../report/choice/assess.ts";
import type { Demand, Sizing } from "../../../report/choice/demand.ts";
import { demandOf, type Needs } from "../../../report/choice/needs.ts";
import { listText } from "../../../report/choice/price-notes.ts";
import { answerDataOf, candidateData } from "../../../report/choice/ways.ts";
import { compare } from "../../../report/comparison/comparison.ts";
import {
  billOf,
  type Cost,
  HOURS_PER_MONTH,
  type PriceBook,
  type PricedCloud,
  priceColumns,
  priceSnapshots,
} from "../../../report/index.ts";
import { type AtMost, atMostOf } from "./at-most.ts";
import { type Month, type MonthlyTraffic, monthOf, restOf, type ServiceMonth } from "./month.ts";
import { borrowedRemarks, remarksOn, unverifiedRemarks } from "./notes.ts";
import { type PrivateEndpoint, privateEndpointsOf } from "./private-endpoints.ts";
import { type Recommendation, recommend } from "./recommend.ts";
import { type ReportCommand, reportCommandOf } from "./report-command.ts";
import type { Traffic } from "./traffic.ts";
import { gatewaysOf, needsOfTraffic } from "./traffic-needs.ts";
import type { AdviceOptions, EndpointSaving, IdleGateways, Option } from "./types.ts";
import { isCounted, reconciled, remarks } from "./usage/notes.ts";

const ADVICE_SCHEMA_VERSION = 5;

export interface Advice {
  readonly schemaVersion: typeof ADVICE_SCHEMA_VERSION;
  readonly madeAt: string;
  readonly cloud: PricedCloud;
  readonly region: string;
  readonly regionFrom: AdviceOptions["regionFrom"];
  /** Currency of all costs, as ISO 4217 names it. */
  readonly currency: string;
  readonly pricesFrom: string;
  readonly rangesFrom: string;
  readonly traffic: Traffic;
  readonly month: Month;
  readonly demand: Demand;
  readonly needs: Needs;
  readonly now: { readonly topology: Candidate; readonly need: Sizing; readonly bill: Cost };
  readonly endpoints: readonly EndpointSaving[];
  /** Gateways that carried nothing, and what they cost. Null: none, or the source does not tell. */
  readonly idle: IdleGateways | null;
  readonly privateEndpoints: readonly PrivateEndpoint[];
  readonly options: readonly Option[];
  readonly recommendation: Recommendation;
  /** The ways out for the highest peak that the log's intervals allow. Null: the possible peak is hardly higher. */
  readonly atMost: AtMost | null;
  readonly report: ReportCommand;
  /** Reasons why the figures may be far off. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** @throws {RangeError} when the cloud has no such way out */
export function advise(traffic: Traffic, given: AdviceOptions): Advice {
  const { cloud } = traffic;
  const options = { ...given, book: ofAccount(given.book, given.egressShare ?? 1) };
  const { region } = options;
  const month = monthOf(traffic, region);
  const rest = restOf(traffic, region);
  const needs = { ...needsOfTraffic(rest, month.rest, region), now: options.now };
  const data = waysFor(cloud, region, options);
  const nowWay = data.ways.find(({ out }) => out === options.now);
  if (nowWay === undefined) {
    throw new RangeError(`${cloud} has no ${options.now}; expected one of ${candidates[cloud].join(", ")}`);
  }
  const answer = answerOf(data, needs);
  const bytes = traffic.total.outBytes + traffic.total.inBytes;
  const atMost = bytes === 0 ? null : atMostOf(data, answer, rest);
  const now = deployed(nowWay, options.now, traffic, needsOfTraffic(traffic, month.all, region));
  const natSaves = (part: ServiceMonth) => {
    const crossingShare = crossingWithout(part, month, [traffic.zones, rest.zones]);
    return less(now.bill.totalCost, now.billFor(subtract(month.all, part), { crossingShare }).totalCost);
  };
  const endpoints = endpointsOf(month, natSaves);
  const idle = idleOf(traffic, now);
  const charged = chargedBy(traffic, now.bill, month.factor, options.book.currency);
  const recommendation = recommend(rest, answer, {
    topology: now.topology,
    gateways: now.need.gateways,
    cost: now.bill.totalCost,
    charged: charged?.text ?? null,
    ...{ bytes, endpoints, idle },
  });
  const { billFor: _, ...shown } = now;
  const bills = answer.assessed.map(({ bill }) => bill);
  const all = [
    ...remarksOn(traffic, options, now.bill),
    ...remarks(
      true,
      charged?.loud === true && "What the bill charges and list prices differ by more than 5 %.",
    ),
    ...borrowedRemarks(now.bill, answer.pick?.bill ?? null, bills, options),
    ...unverifiedRemarks(
      [now.bill, ...[answer.pick, answer.worthMeasuring[0]].flatMap((one) => one?.bill ?? [])],
      bills,
    ),
    ...remarks(atMost?.changes === true, atMost?.text),
  ];
  return {
    schemaVersion: ADVICE_SCHEMA_VERSION,
    madeAt: options.madeAt,
    ...{ cloud, region, regionFrom: options.regionFrom },
    currency: options.book.currency,
    pricesFrom: listText(options.book),
    rangesFrom: options.ranges,
    ...{ traffic, month, demand: demandOf(needs), needs, now: shown, endpoints, idle },
    privateEndpoints: privateEndpointsOf(cloud, month.services, options.book, natSaves),
    options: answer.assessed.flatMap((one) => optionOf(one, now.bill)),
    recommendation,
    atMost,
    report: reportCommandOf(needs, options.book, isNatInstance(options.now) ? undefined : options.natSize, {
      measured: options.results.some((one) => one.cloud === cloud),
      directions: traffic.counters?.directions !== "none",
    }),
    warnings: all.flatMap(({ text, isLoud }) => (isLoud ? text : [])),
    notes: all.flatMap(({ text, isLoud }) => (isLoud ? [] : text)),
  };
}

/** Prices for a place with a share of its account's internet egress: it pays that share of what the account pays. */
function ofAccount(book: PriceBook, share: number): PriceBook {
  const prices = book.prices.map((price) =>
    price.meter === "egress-gb"
      ? { ...price, tiers: price.tiers.map(({ from, price: each }) => ({ from: from * share, price: each })) }
      : price,
  );
  return { ...book, prices };
}

function optionOf({ id, way, status, why, need, bill }: Assessed, now: Cost): Option | [] {
  const saving = less(now.totalCost, bill.totalCost);
  return need === null ? [] : { id, candidate: way.topology, status, why, need, bill, saving };
}

/** The present deployment: the log's gateways, each with one address, whatever the traffic would need. */
function deployed(way: Way, topology: Candidate, traffic: Traffic, needs: Needs) {
  const { need: sized, region } = assess(way, needs, null);
  const gateways = gatewaysOf(traffic);
  const need = { ...(sized as Sizing), gateways, addresses: gateways };
  const billFor = (
    { gbIn, gbOut, gbOutInternet }: MonthlyTraffic,
    { number = gateways, crossingShare = needs.seen?.crossingShare ?? 0 } = {},
  ) =>
    billOf(rulesFor(way, region, need.size, { ...needs, seen: { ...needs.seen, crossingShare } }) ?? [], {
      ...{ hours: HOURS_PER_MONTH, gbIn, gbOut, gbOutInternet },
      ...{ gateways: number, addresses: number },
    });
  const { gbIn, gbOut, seen } = needs;
  const bill = billFor({ gbIn, gbOut, gbOutInternet: gbOut * (seen?.internetShare ?? 1) });
  return { topology, need, bill, billFor };
}

/** Gateways that carried nothing, with what one month of them costs. */
function idleOf(traffic: Traffic, { need, billFor }: ReturnType<typeof deployed>): IdleGateways | null {
  const { counters } = traffic;
  if (counters === null || counters.idle.length === 0) {
    return null;
  }
  const nothing = { gbIn: 0, gbOut: 0, gbOutInternet: 0 };
  const cost = (number: number) => billFor(nothing, { number }).totalCost;
  const left = need.gateways - counters.idleAtOneTime;
  return { names: counters.idle, saving: less(cost(need.gateways), left === 0 ? 0 : cost(left)) };
}

/** The bill's charge beside list prices of its own hours and GB. */
function chargedBy(traffic: Traffic, { charges }: Cost, factor: number, currency: string) {
  if (!isCounted(traffic)) {
    return null;
  }
  const { counters, nats, hours } = traffic;
  const own = charges.filter(({ kind }) => kind === "service" || kind === "data");
  const gatewayHours = counters.gatewayHours ?? nats.length * hours;
  const times = (one: Cost["charges"][number]) =>
    one.kind === "data" || one.units === 0 ? 1 / factor : gatewayHours / one.units;
  const listed = own.reduce<number | null>(
    (all, one) => (all === null || one.cost === null ? null : all + one.cost * times(one)),
    0,
  );
  return reconciled(traffic, { listed, currency });
}

function endpointsOf(
  { all, offloads }: Advice["month"],
  natSaves: (part: ServiceMonth) => number | null,
): EndpointSaving[] {
  const total = all.gbIn + all.gbOut;
  return offloads.map((offload) => {
    const share = total === 0 ? 0 : (offload.gbIn + offload.gbOut) / total;
    return { ...offload, share, saving: natSaves(offload) };
  });
}

/** The share that crosses zones without a service: what free endpoints take crosses as much as they leave less of it. */
function crossingWithout(
  part: ServiceMonth,
  { all, rest, offloads }: Month,
  [zones, left]: readonly Traffic["zones"][],
): number {
  const gb = ({ gbIn, gbOut }: MonthlyTraffic) => gbIn + gbOut;
  const [before, after] = [zones?.crossingShare ?? 0, left?.crossingShare ?? 0];
  const isFree = offloads.some(({ service }) => service === part.service);
  const own = isFree ? (before * gb(all) - after * gb(rest)) / (gb(all) - gb(rest)) : after;
  const others = gb(all) - gb(part);
  return others <= 0 ? 0 : Math.max(0, before * gb(all) - own * gb(part)) / others;
}

function less(now: number | null, then: number | null): number | null {
  return now === null || then === null ? null : now - then;
}

function subtract(all: MonthlyTraffic, part: MonthlyTraffic): MonthlyTraffic {
  return {
    gbIn: Math.max(0, all.gbIn - part.gbIn),
    gbOut: Math.max(0, all.gbOut - part.gbOut),
    gbOutInternet: all.gbOutInternet,
  };
}

/** Today's machine, whose size is given, first; a machine of another size may carry the same for less. */
function withPresent(present: readonly Way[], data: AnswerData): AnswerData {
  const [now] = present;
  const other = (way: Way): Way =>
    way.id !== now?.id || way.column !== null
      ? way
      : {
          ...way,
          id: `${way.id} (another size)`,
          machines: way.machines.filter(({ size }) => size !== now.machine?.size),
        };
  return { ...data, ways: [...present, ...data.ways.map(other)] };
}

/** The ways out that a report of these results would choose from, at a region's prices. */
function waysFor(cloud: PricedCloud, region: string, inputs: AdviceOptions): AnswerData {
  const { results, book, natSize, now } = inputs;
  const books = { ...priceSnapshots, [cloud]: book };
  if (natSize !== undefined && isNatInstance(now)) {
    return withPresent(
      candidateData(cloud, region, { books, natSize }).ways.filter(({ out }) => out === now),
      waysFor(cloud, region, { ...inputs, natSize: undefined }),
    );
  }
  const own = results.filter((one) => one.cloud === cloud);
  const comparison = compare(own.map((one) => ({ source: `stack ${one.stack}`, results: one })));
  const sized = natSize === undefined ? {} : { natSize };
  const { columns } = priceColumns(comparison.columns, { region, ...sized }, books);
  const [data] = answerDataOf(comparison, columns, { books, regions: [], natSize });
  return data ?? candidateData(cloud, region, { books, natSize });
}
