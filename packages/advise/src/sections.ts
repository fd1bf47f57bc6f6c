/** The sections of advice. */
import { formatBitRate } from "../../../bench/index.ts";
import { said } from "../../../bench/said.ts";
import { type Block, list, type Section, table, text } from "../../../report/document/document.ts";
import { textTable } from "../../../report/document/table.ts";
import { HOURS_PER_MONTH } from "../../../report/index.ts";
import type { Advice } from "./advice.ts";
import { endpoints } from "./endpoints.ts";
import type { BoundedRate, Volume } from "./traffic.ts";
import { counterSentences, isCounted } from "./usage/notes.ts";
import {
  costText,
  count,
  counted,
  isOfTenSeconds,
  lengthOf,
  moment,
  periodOf,
  protocolName,
  TEN_SECONDS,
  volume,
} from "./words.ts";

type Flows = NonNullable<Advice["traffic"]["flows"]>;

/** All sections after the title and the answer. */
export function sectionsOf(advice: Advice): Section[] {
  return [choice, endpointSection, traffic, flows, cost, logs].map((section) => section(advice));
}

function choice({ options, now, month, currency, traffic: seen }: Advice): Section {
  const rows = options.map(({ id, candidate, status, why, need, bill, saving }) => [
    `${id}${candidate === now.topology && need.size === now.need.size ? " (now)" : ""}`,
    need.size ?? "none",
    need.ports === null ? "not known" : count(need.ports),
    count(need.addresses),
    count(need.gateways),
    costText(bill.totalCost, currency),
    costText(saving, currency),
    status === "fits" ? need.formula : why.join("; "),
  ]);
  const sized = ["Machine", "Ports", "Addresses", "Gateways"];
  const head = ["Way out", ...sized, "Cost a month", "Saves", "How many, or why not"];
  const caption = `What each way out needs and costs, for ${outAndIn(seen, month.rest.gbOut * 1e9, month.rest.gbIn * 1e9)} a month`;
  return {
    id: "choice",
    heading: "Every way out",
    blocks: table(textTable(head, rows), caption),
  };
}

/** `1.00 GB out and 2.00 GB in`; one figure where the source does not tell the directions. */
function outAndIn({ counters }: Advice["traffic"], outBytes: number, inBytes: number): string {
  return counters?.directions === "none"
    ? `${volume(outBytes + inBytes)} in both directions`
    : `${volume(outBytes)} out and ${volume(inBytes)} in`;
}

function bothWays({ outBytes, inBytes }: Volume): [string, string] {
  return [volume(outBytes), volume(inBytes)];
}

function bounded(name: string, { least, estimate, most }: BoundedRate): string[] {
  return [
    name,
    formatBitRate(estimate),
    formatBitRate(least),
    most === null ? "not known" : formatBitRate(most),
  ];
}

function traffic({ traffic: seen, month }: Advice): Section {
  const { total } = seen;
  return {
    id: "traffic",
    heading: "What the traffic is",
    blocks: [
      ...list(
        said(
          seen.source !== "typed" && `${outAndIn(seen, total.outBytes, total.inBytes)}, ${periodOf(seen)}.`,
          `A month of ${HOURS_PER_MONTH} hours: ${outAndIn(seen, month.all.gbOut * 1e9, month.all.gbIn * 1e9)}.`,
          !isCounted(seen) &&
            `${counted(seen.destinationCount, "public address", "public addresses")}; the largest are listed.`,
        ),
      ),
      ...peakTable(seen),
      ...volumeTables(seen),
    ],
  };
}

function peakTable({ peak, intervalSeconds, source, counters }: Advice["traffic"]): Block[] {
  // Typed figures are a month's, at no time.
  if (peak === null || source === "typed") {
    return [];
  }
  const ways = counters?.directions === "none" ? [] : [bounded("Out", peak.out), bounded("In", peak.in)];
  const both = isOfTenSeconds({ source, peak }) ? `Both, ${TEN_SECONDS}` : "Both";
  const rows = [...ways, bounded(both, peak.both)];
  const caption = `The busiest ${intervalSeconds > 60 && source !== "flow logs" ? lengthOf(intervalSeconds) : "minute"}, at ${moment(peak.at)}`;
  return table(textTable(["Direction", "Estimate", "At least", "At most"], rows), caption);
}

function volumeTables(seen: Advice["traffic"]): Block[] {
  const { byHour, destinations, prefixes, services } = seen;
  const head = (name: string, ...more: string[]) => [name, ...more, "Out", "In"];
  const byService = services.map((one) => [
    one.service ?? "none known",
    one.region ?? "none known",
    count(one.addresses),
    ...bothWays(one),
  ]);
  const byDestination = destinations.map((one) => [
    one.address,
    one.service ?? "none known",
    ...bothWays(one),
  ]);
  const byBlock = prefixes.map((one) => [one.prefix, count(one.addresses), ...bothWays(one)]);
  const hours = byHour.map((one) => [
    moment(one.hour),
    ...bothWays(one),
    formatBitRate(((one.outBytes + one.inBytes) * 8) / 3600),
  ]);
  return [
    ...table(
      textTable(head("Service", "Region", "Addresses"), isCounted(seen) ? [] : byService),
      "By service",
    ),
    ...table(textTable(head("Address", "Service"), byDestination), "By destination", "folded"),
    ...table(textTable(head("Block", "Addresses"), byBlock), "By block of addresses", "folded"),
    ...table(textTable(["Hour", "Out", "In", "Mean rate, both"], hours), "By hour", "folded"),
  ];
}

function flows({ traffic: all }: Advice): Section {
  const seen = all.flows;
  if (seen === null) {
    const sentences = isCounted(all) ? counterSentences(all) : ["The log's format has no ports."];
    return { id: "flows", heading: "Flows", blocks: list(sentences) };
  }
  const { silences } = seen;
  const silent = silences.longest.map(({ client, address, port, protocol, seconds }) => [
    client,
    address,
    `${protocolName(protocol)} ${port}`,
    `${Math.round(seconds)} s`,
  ]);
  return {
    id: "flows",
    heading: "Flows",
    blocks: [
      ...list([
        `${counted(seen.opened, "flow", "flows")} of ${counted(seen.clients, "private address", "private addresses")}. A flow counts at least from its first to its last packet, and at most until a NAT forgets it.`,
        silences.longestSeconds === null
          ? "No flow was silent for a minute and then continued."
          : `The longest silence of a flow that then continued: ${Math.round(silences.longestSeconds)} s. ${silences.over.map(({ seconds, flows: number }) => `${count(number)} flows were silent for ${seconds} s or more`).join(", ")}.`,
      ]),
      ...table(textTable(["Flows", "At least", "At most"], flowCounts(seen)), "How many"),
      ...table(textTable(["Client", "Destination", "Port", "Silent"], silent), "Longest silences", "folded"),
    ],
  };
}

function flowCounts({ concurrent, busiest, perClient, openedPerSecond }: Flows): string[][] {
  const row = (name: string, { low, high }: Flows["perClient"]) => [name, count(low), count(high)];
  const rate = (where: string, perSecond: number) => [
    `New ones a second in the busiest minute, at ${where}`,
    perSecond.toFixed(1),
    "not in a flow log",
  ];
  const to = busiest && `${busiest.address}, ${protocolName(busiest.protocol)} port ${busiest.port}`;
  return [
    row("At once, to all destinations", concurrent),
    ...(busiest ? [row(`At once, to ${to}`, busiest.concurrent)] : []),
    row("At once, of one client to one destination", perClient),
    rate("all destinations", openedPerSecond),
    ...(busiest ? [rate("one destination", busiest.openedPerSecond)] : []),
  ];
}

function cost({ now, recommendation, options, pricesFrom, region, currency }: Advice): Section {
  const then = options.find(({ id }) => id === recommendation.pickId);
  const lines = (title: string, charges: Advice["now"]["bill"]["charges"]) =>
    table(
      textTable(
        ["Charge", "Units", "Cost", "Price from"],
        charges.map(({ meter, units, cost, source }) => [
          meter,
          units.toLocaleString("en-US", { maximumFractionDigits: 3 }),
          costText(cost, currency),
          source ?? "no price known",
        ]),
      ),
      title,
    );
  return {
    id: "cost",
    heading: "Cost a month",
    blocks: [
      text(`Prices in ${region}, ${pricesFrom}`),
      ...lines(`Now: ${count(now.need.gateways)} × ${now.topology}`, now.bill.charges),
      ...(then === undefined
        ? []
        : lines(`Then: ${count(then.need.gateways)} × ${then.id}`, then.bill.charges)),
    ],
  };
}

function logs({ traffic: { logs: read, other, counters, source }, notes, rangesFrom }: Advice): Section {
  const bad = read.bad.map(({ reason, count: number, atLeast, examples }) => [
    reason,
    `${atLeast ? "at least " : ""}${count(number)}`,
    examples.map((line) => JSON.stringify(line)).join(" "),
  ]);
  const unusable = [
    ...read.unusable.map(({ file, reason }) => [file, reason]),
    ...read.cut.map((file) => [file, "ends in the middle: used up to there"]),
  ];
  return {
    id: "logs",
    heading: "What was read",
    blocks: [
      ...list([
        source === "typed"
          ? "Typed figures."
          : `${counted(read.files, "file")}, ${volume(read.bytes)}, ${counters === null ? `${counted(read.lines, "record")}; ${counted(read.noData, "interval")} without traffic, ${counted(other.rejectedRecords, "rejected record")}. Service ranges: ${rangesFrom}` : counted(read.lines, "point")}.`,
        ...notes,
      ]),
      ...table(textTable(["Reason", "Lines", "The first"], bad), "Lines that could not be used"),
      ...table(textTable(["File", "Problem"], unusable), "Files"),
    ],
  };
}

function endpointSection(advice: Advice): Section {
  const { endpoints: found, privateEndpoints, now, cloud, traffic, currency } = advice;
  const rows = found.map(({ service, region, kind, share, gbIn, gbOut, saving }) => [
    service,
    region,
    kind,
    volume(gbIn * 1e9),
    volume(gbOut * 1e9),
    `${(share * 100).toFixed(1)} %`,
    costText(saving, currency),
  ]);
  const head = ["Service", "Region", "By", "In a month", "Out a month", "Share", "Saves a month"];
  return {
    id: "endpoints",
    heading: "Traffic that need not go through NAT",
    blocks: [
      ...list([known(found.length, isCounted(traffic))]),
      ...table(textTable(head, rows), "Services that have a free endpoint"),
      ...privateTable(privateEndpoints, { now: now.topology, cloud, currency }),
    ],
  };
}

function known(number: number, counted: boolean): string {
  return counted
    ? "Not known: metrics and bills name no destination. Free endpoints may take traffic off the NAT; a flow log of a day tells."
    : number === 0
      ? "No traffic goes to a service of your region that has a free endpoint, as far as addresses tell."
      : "These endpoints are routes of the subnet and free of charge.";
}

function privateTable(
  found: Advice["privateEndpoints"],
  { now, cloud, currency }: Pick<Advice, "cloud" | "currency"> & { readonly now: string },
): Block[] {
  const rows = found.map(({ service, region, kind, gbIn, gbOut, cost, saving, paysFromGb }) => [
    service,
    region,
    kind,
    volume((gbIn + gbOut) * 1e9),
    costText(cost, currency),
    costText(saving, currency),
    paysFromGb === null ? "never, or not known" : volume(paysFromGb * 1e9),
  ]);
  const head = [
    "Service",
    "Region",
    "By",
    "A month",
    "Costs a month",
    `Saves, against ${now}`,
    "Pays from, a month",
  ];
  const caption = `Services that have an endpoint by the hour and GB: ${endpoints[cloud].charged.count}`;
  return table(textTable(head, rows), caption);
}
