/** Remarks on the figures: warnings and notes. */
import { said } from "../../../bench/said.ts";
import { unverified } from "../../../report/choice/price-notes.ts";
import { borrowedText } from "../../../report/cost/bill.ts";
import type { Cost } from "../../../report/index.ts";
import { counted } from "../../../report/text/format.ts";
import type { NatReason, Traffic } from "./traffic.ts";
import type { AdviceOptions } from "./types.ts";
import { counterRemarks, isCounted, LOUD_SHARE, type Remark, remarks } from "./usage/notes.ts";
import { count, moment, volume } from "./words.ts";

const logNotes = {
  aws: { intervals: [], ipv6: " (an egress-only internet gateway is free)" },
  azure: {
    intervals: [
      "Azure's figures may be of five minutes: silences are at least as long as said, and up to that much longer.",
    ],
    ipv6: "",
  },
} as const;

const natReasons: Readonly<Record<NatReason, string>> = {
  given: "you said so",
  resource: "the log names it",
  "packet addresses": "packets there are for other addresses than its own",
  direction: "it takes packets for public addresses from private ones",
  counted: "the file names it",
  volumes: "it exchanges as much with private addresses as with public ones, on the same ports",
};

/** Names of the values of AWS's `traffic-path` for packets that bypassed a NAT. */
const pathNames: Readonly<Record<number, string>> = {
  2: "an internet gateway or a gateway endpoint",
  3: "a virtual private gateway",
  4: "a peering in the region",
  5: "a peering to another region",
  6: "a local gateway",
  7: "a gateway endpoint",
  8: "an internet gateway",
};

/** What is known of the figures, and what they hide. */
export function remarksOn(traffic: Traffic, options: AdviceOptions, now: Cost): Remark[] {
  const own = isCounted(traffic)
    ? counterRemarks(traffic)
    : [
        ...unseenRemark(traffic),
        ...unusedRemark(traffic),
        ...remarks(true, guessNote(traffic)),
        ...remarks(false, ...viewNotes(traffic), ...intervalNotes(traffic), ...lossNotes(traffic)),
        ...remarks(false, ...otherNotes(traffic)),
      ];
  return [
    ...own,
    ...remarks(true, gapNote(traffic)),
    ...remarks(false, ...priceNotes(traffic, options, now)),
  ];
}

/**
 * Remarks on another region's prices: loud if they make up more than 5 % of today's bill in today's or the pick's bill.
 *
 * @param others Bills shown beside these two.
 */
export function borrowedRemarks(
  now: Cost,
  pick: Cost | null,
  others: readonly Cost[],
  { region, book }: Pick<AdviceOptions, "region" | "book">,
): Remark[] {
  const charges = [now, ...others].flatMap((bill) => bill.charges);
  const isLoud = [now, ...(pick === null ? [] : [pick])].some((bill) => {
    const elsewhere = bill.charges.filter(({ pricedIn }) => pricedIn !== null);
    return elsewhere.reduce((sum, { cost }) => sum + (cost ?? 0), 0) > LOUD_SHARE * now.knownCost;
  });
  return remarks(isLoud, borrowedText(charges, region, book.origin));
}

/**
 * Prices without a second source: loud where a saving rests on them.
 *
 * @param compared Bills whose difference is a saving
 */
export function unverifiedRemarks(compared: readonly Cost[], others: readonly Cost[]): Remark[] {
  const all = [...compared, ...others].flatMap(({ charges }) => charges);
  const decides = ({ meter }: Cost["charges"][number]) =>
    new Set(compared.map(({ charges }) => charges.find((one) => one.meter === meter)?.cost)).size > 1;
  return [
    ...remarks(true, ...unverified(all.filter(decides), "The saving rests on unverified prices")),
    ...remarks(false, ...unverified(all.filter((one) => !decides(one)))),
  ];
}

function gapNote({ gaps, hours, source }: Traffic): string | false {
  const length = (gap: Traffic["gaps"][number]) => Date.parse(gap.to) - Date.parse(gap.from);
  const [longest] = gaps.toSorted((a, b) => length(b) - length(a));
  const missing = gaps.reduce((sum, gap) => sum + length(gap), 0) / 3_600_000;
  return (
    longest !== undefined &&
    `${source === "flow logs" ? "The log has no record" : "There is no point"} for ${missing.toFixed(1)} of ${(hours + missing).toFixed(1)} hours, as from ${moment(longest.from)} to ${moment(longest.to)}. They count as unknown: the month is made of the other ${hours.toFixed(1)} hours.`
  );
}

/** Other interfaces' traffic that no NAT in the log carried. */
function unseenRemark({ other: { unseenBytes }, total }: Traffic): Remark[] {
  const all = total.outBytes + total.inBytes + unseenBytes;
  return remarks(
    unseenBytes > LOUD_SHARE * all,
    unseenBytes !== 0 &&
      `${volume(unseenBytes)}, ${((100 * unseenBytes) / all).toFixed(1)} % of ${volume(all)} with public addresses, are not counted: other interfaces logged them, and no NAT in the log carried them. Add the logs of the other NATs (another account's, another zone's), name all with --nat, or count every interface with --nat none.`,
  );
}

/** A note that an HTTP proxy looks like a NAT in the default format. */
function guessNote({ nats }: Traffic): string | false {
  const guessed = nats.flatMap(({ name, reason }) => (reason === "volumes" ? [name] : []));
  return (
    guessed.length !== 0 &&
    `${guessed.join(", ")} counts as a NAT only by its volumes: as much with private as with public addresses on each port, as a proxy has too. If it is a proxy, name the NAT's interface with --nat, or say --nat none.`
  );
}

function viewNotes({ nats, flows, zones, rest }: Traffic): string[] {
  const seen =
    nats.length === 0
      ? "No interface in the log is a NAT's: all traffic between private and public addresses counts. If one is, its traffic counts twice; name it with --nat."
      : `Only what NAT interfaces sent and received outside counts: ${nats.map(({ name, reason }) => `${name} (${natReasons[reason]})`).join(", ")}.`;
  return said(
    seen,
    ...zoneNotes(zones, nats.length, rest.length > 0),
    flows === null &&
      "The log has no ports: flows, ports and silences cannot be counted. Add srcport, dstport and protocol to its format.",
  );
}

function zoneNotes(zones: Traffic["zones"], nats: number, hasFree: boolean): string[] {
  if (zones === null) {
    return said(
      nats > 1 &&
        "The log does not name zones: each NAT counts as one zone's. Add az-id, subnet-id and vpc-id to its format.",
    );
  }
  const { gateways, named, crossingShare } = zones;
  const where = `${count(gateways)} NAT ${gateways === 1 ? "gateway or machine" : "gateways or machines"} in ${named ? "" : "subnets, whose zones the log does not name: "}${zones.zones.join(", ")}`;
  return [
    `${where}.`,
    crossingShare === null
      ? "Which zones the clients are in is not in the log (az-id of their own interfaces): what crosses zones is not known and not in the bills."
      : `${(100 * crossingShare).toFixed(1)} % of the NATs' traffic has its client in another zone than its NAT. All bills include it (cross-az-gb): today's, and that of each way out in the same zones.${hasFree && gateways > 1 ? " What a free endpoint takes of it counts by client: one with NATs in two zones has the same share of it in both." : ""}`,
  ];
}

function intervalNotes({ intervalSeconds, hours, cloud }: Traffic): string[] {
  return said(
    `Records cover up to ${Math.round(intervalSeconds)} s: rates are means of a minute, and a burst shorter than that is not in the log.`,
    ...logNotes[cloud].intervals,
    hours < 24 &&
      `The log covers ${hours.toFixed(1)} hours: the month is extrapolated from them, without a whole day's peaks and quiet hours.`,
  );
}

/** Lines that are no record, as far as can be seen. */
function unusedRemark({ logs: { bad, lines } }: Traffic): Remark[] {
  const unused = bad.reduce((sum, { count }) => sum + count, 0);
  const isLoud = unused > LOUD_SHARE * lines;
  const more = isLoud ? " Traffic and bills may be as much too low." : "";
  return remarks(
    isLoud,
    unused !== 0 && `${count(unused)} of ${counted(lines, "line")} could not be used.${more}`,
  );
}

function lossNotes(traffic: Traffic): string[] {
  const { logs, duplicateRecords } = traffic;
  return said(
    logs.skipData !== 0 &&
      `${count(logs.skipData)} intervals say SKIPDATA: the cloud lost records there, and the figures are too low.`,
    logs.cut.length !== 0 &&
      `${logs.cut.length === 1 ? "A file ends" : `${count(logs.cut.length)} files end`} in the middle, used up to there: ${logs.cut.join(", ")}.`,
    (duplicateRecords ?? 0) !== 0 &&
      `${count(duplicateRecords ?? 0)} records were logged more than once; each counts once.`,
    duplicateRecords === null &&
      "The log's format cannot tell records apart: a record that was logged twice counts twice.",
  );
}

function otherNotes(traffic: Traffic): string[] {
  const { other, cloud } = traffic;
  return said(
    ...other.bypassed.map(
      ({ path, bytes }) =>
        `${volume(bytes)} went through ${pathNames[path] ?? "another path"} (traffic-path ${path}) and through no NAT; not counted. If such an interface is a NAT's, name it with --nat.`,
    ),
    other.ipv6Bytes !== 0 &&
      `${volume(other.ipv6Bytes)} to public IPv6 addresses need no NAT${logNotes[cloud].ipv6}; not counted.`,
    other.publicBytes !== 0 &&
      `${volume(other.publicBytes)} are between public addresses; which are yours cannot be seen. Not counted.`,
    other.inboundBytes !== 0 &&
      `${volume(other.inboundBytes)} belong to connections from outside; not counted.`,
    other.invalidAddressRecords !== 0 &&
      `${count(other.invalidAddressRecords)} records have no valid address; not counted.`,
  );
}

function priceNotes(
  { services, source }: Traffic,
  { region, regionFrom, ranges, book, egressShare = 1, priceProblems = [] }: AdviceOptions,
  now: Cost,
): string[] {
  const unknown = services.find(({ service }) => service === null);
  const unknownBytes = (unknown?.outBytes ?? 0) + (unknown?.inBytes ?? 0);
  return said(
    ...priceProblems,
    regionFrom === "assumed" &&
      `No region is named: ${region} is assumed for prices and services. Name it with --region.`,
    now.missing.length !== 0 &&
      `The price list (${book.origin} of ${book.asOf}) has no ${now.missing.join(", ")} for ${region}: totals are not known.`,
    unknownBytes !== 0 &&
      source === "flow logs" &&
      `${volume(unknownBytes)} are traffic with addresses of no known cloud service (ranges: ${ranges}).`,
    now.charges.some(({ kind, units }) => kind === "egress" && units > 0) &&
      (egressShare === 1
        ? "The month's free 100 GB of internet egress are counted in full, although the whole account shares them."
        : `The account's free 100 GB and tiers of internet egress are shared out by GB: this place has ${(100 * egressShare).toFixed(1)} %.`),
  );
}
