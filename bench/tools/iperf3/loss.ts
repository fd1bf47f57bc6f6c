/** Datagrams that a UDP test of iperf3 lost. */
import type { Measurement } from "../../results/measurement.ts";
import { totalOfKnown } from "../../statistics/sample.ts";
import type { ParseContext } from "../tool.ts";
import { count, minus, positive, ratio } from "./numbers.ts";
import type { Iperf3Output } from "./output.ts";
import type { Iperf3Case } from "./plan.ts";
import { readServerOutput } from "./server-output.ts";

type Loss = Pick<Measurement, "packets" | "lostPackets" | "lostPercent">;

/** Counts of iperf3 and of the hosts' kernels. */
interface Counts {
  /** Sent in the test, without the warm-up. */
  readonly packets: number | null;
  /** Lost by the client's document: up to 3.12 including the warm-up's where the client sends. */
  readonly counted: number | null;
  /** Read by the receiver in the test. */
  readonly arrived: number | null;
  readonly seconds: number | null;
  /** Sequence numbers between the warm-up's last datagram and the last one that the receiver got. */
  readonly reached: number | null;
  /** Lost between the hosts by their kernels, including the warm-up's. */
  readonly lostBetweenHosts: number | null;
  /** Lost in the warm-up, as the receiver saw it; null: it does not say. */
  readonly lostInWarmUp: number | null;
}

const unknown = (packets: number | null): Loss => ({ packets, lostPackets: null, lostPercent: null });

const lossOf = (packets: number, lostPackets: number): Loss => ({
  ...{ packets, lostPackets },
  lostPercent: packets === 0 ? null : (100 * lostPackets) / packets,
});

/**
 * Loss as the receiver counted it, from gaps in the sequence numbers. Where more is missing, the last datagrams
 * were still on their way when the receiver stopped, or were lost without a later one, or the client prints 0 for a loss
 * that the server saw (before 3.21, esnet/iperf issue 1984). The hosts' kernel counts decide between these. Without them,
 * a count of less than half of the missing datagrams is rejected.
 */
export function readLoss(document: Iperf3Output, context: ParseContext<Iperf3Case>): Loss {
  const counts = countsOf(document, context);
  const loss = countedLoss(document, context.case, counts);
  const disordered = outOfOrder(document, context.case) ?? 0;
  const came = cameDatagrams(document, context);
  return isObscured(loss, disordered, counts.counted, came) ? unknown(loss.packets) : loss;
}

/** Datagrams that came behind a later one, or twice, by the end that received; null: nobody has it. */
export function outOfOrder(document: Iperf3Output, { direction }: Iperf3Case): number | null {
  // A JSON client that sends prints its own 0.
  return direction === "egress"
    ? (readServerOutput(document.server_output_text)?.outOfOrder ?? null)
    : totalOfKnown((document.end?.streams ?? []).map(({ udp }) => count(udp?.out_of_order)));
}

/**
 * Whether doubled datagrams may hide losses. A receiver takes each datagram that is out of order off its losses: right if it was
 * late, wrong if it came twice. Where none is left, none was lost but by the rarest chance, unless more arrived than were sent: then
 * some came twice, and all that were out of order did if they are as many. A printed 0 alone proves nothing.
 */
function isObscured(
  { packets, lostPackets }: Loss,
  disordered: number,
  counted: number | null,
  came: number | null,
): boolean {
  const twice = (came ?? 0) - (packets ?? 0);
  const isWhole = came !== null && lostPackets === 0 && counted === 0 && (twice <= 0 || twice === disordered);
  return (ratio(disordered, packets) ?? 0) > NEGLIGIBLE_SHARE && !isWhole;
}

/**
 * Whether datagrams were cut on their way: what the receiver read is no whole number of them, or less than those that it counted
 * itself; or it counts some as lost that its kernel got, as it reads two that were cut as one. It may have read numbers from beyond
 * their ends.
 */
export function hasCutDatagrams(document: Iperf3Output, context: ParseContext<Iperf3Case>): boolean {
  const { direction, omitSeconds } = context.case;
  const arrived = receivedPackets(document);
  const seen = document.end?.sum_received ?? document.end?.sum;
  // A sender may print 0 for what its receiver lost.
  const own =
    readServerOutput(document.server_output_text) ??
    (direction === "ingress" ? { packets: seen?.packets, lost: seen?.lost_packets } : null);
  const counted = minus(count(own?.packets), count(own?.lost)) ?? 0;
  // A receiver with threads may set bytes and numbers to 0 at different datagrams of the warm-up.
  const slack = omitSeconds > 0 ? LARGER_SHARE : 0;
  if (arrived !== null && (!Number.isInteger(arrived) || arrived < counted * (1 - slack))) return true;
  const { lostBetweenHosts, testDatagrams } = context;
  const unread = (count(seen?.lost_packets) ?? 0) - (lostBetweenHosts ?? 0);
  const most = Math.max(MOST_LATE, LARGER_SHARE * (sentPackets(document) ?? 0));
  const isOfTest = lostBetweenHosts != null && testDatagrams != null;
  return isOfTest && unread - (outOfOrder(document, context.case) ?? 0) > most;
}

function countedLoss(document: Iperf3Output, { omitSeconds }: Iperf3Case, counts: Counts): Loss {
  const own = omitSeconds > 0 ? behindWarmUp(document, counts) : null;
  if (own !== null) {
    return lossBehindWarmUp(own, counts);
  }
  const { packets, counted, arrived, lostBetweenHosts } = counts;
  const missing = Math.round(minus(packets, arrived) ?? Math.min(packets ?? 0, lostBetweenHosts ?? 0));
  if (counted === null || packets === null || (lostBetweenHosts === null && 2 * counted < missing)) {
    return unknown(packets);
  }
  if (omitSeconds > 0 && arrived === null && counted + missing > 0) {
    return unknown(packets); // Up to 3.9: nobody tells the warm-up's losses from the test's.
  }
  if (counted > missing + packets * LARGER_SHARE && counted < MAX_WARM_UP * packets) {
    return withinBounds({ ...counts, packets, counted, missing }, omitSeconds > 0);
  }
  return lossOf(
    packets,
    missing <= counted ? counted : Math.max(counted, Math.min(missing, lostBetweenHosts ?? missing)),
  );
}

function countsOf(document: Iperf3Output, context: ParseContext<Iperf3Case>): Counts {
  const received = document.end?.sum_received;
  const seen = received ?? document.end?.sum;
  return {
    packets: sentPackets(document) ?? positive(seen?.packets),
    counted: count(seen?.lost_packets),
    arrived: receivedPackets(document),
    seconds: positive(seen?.seconds),
    reached: positive(received?.packets),
    lostBetweenHosts: lostOf(document, context),
    lostInWarmUp: lostInWarmUp(document, context.case, count(seen?.lost_packets)),
  };
}

function lostInWarmUp(
  document: Iperf3Output,
  { direction, streams, omitSeconds }: Iperf3Case,
  counted: number | null,
): number | null {
  if (direction === "ingress") {
    const lostOf = (isOmitted: boolean) => {
      const intervals = (document.intervals ?? []).filter(({ sum }) => (sum?.omitted ?? false) === isOmitted);
      return totalOfKnown(intervals.map(({ sum }) => sum?.lost_packets ?? null));
    };
    const omitted = document.omitted_lost_packets ?? lostOf(true);
    // The test's first interval may have begun in the warm-up.
    return omitted === null ? null : omitted + Math.max(0, (lostOf(false) ?? 0) - (counted ?? 0));
  }
  const lines = readServerOutput(document.server_output_text)?.omitted ?? [];
  // A server writes a line a second, unless it joins the last one with the test's first.
  const isWhole = lines.length === omitSeconds * (streams === 1 ? 1 : streams + 1);
  const lost = isWhole ? totalOfKnown(lines) : null;
  return lost === null || streams === 1 ? lost : lost / 2;
}

/** Datagrams that were sent in the test. From an older server a client of 3.14 or newer takes only their bytes. */
export function sentPackets({ end, start }: Iperf3Output): number | null {
  const sent = end?.sum_sent ?? end?.sum;
  return positive(sent?.packets) ?? ratio(positive(sent?.bytes), positive(start?.test_start?.blksize));
}

/**
 * Datagrams that the kernels count as lost. In a test without warm-up iperf3 itself reports how many it sent, so that no other
 * program's are included. Null: not counted.
 */
function lostOf(document: Iperf3Output, context: ParseContext<Iperf3Case>): number | null {
  const { lostBetweenHosts = null } = context;
  const lost = minus(sentPackets(document), handedOver(context));
  return lostBetweenHosts === null || lost === null ? lostBetweenHosts : Math.min(lostBetweenHosts, lost);
}

/** Datagrams that the receiver's kernel handed over in a test without warm-up, but for one that opens each stream. */
export const handedOver = ({ case: asked, arrivedDatagrams = null }: ParseContext<Iperf3Case>) =>
  asked.omitSeconds > 0 ? null : minus(arrivedDatagrams, asked.streams);

/** Datagrams that came in the test, doubled ones included: read by the receiver or, where its count is missing, by its kernel. */
export const cameDatagrams = (document: Iperf3Output, context: ParseContext<Iperf3Case>) =>
  receivedPackets(document) ?? handedOver(context);

/** Datagrams that the receiver read in the test; null if the document has only the sender's count. */
export function receivedPackets({ end, start }: Iperf3Output): number | null {
  return ratio(count(end?.sum_received?.bytes), positive(start?.test_start?.blksize));
}

// --- Tests with a warm-up -----------------------------------------------------------------------------------

/** Datagrams after the last one of the receiver's warm-up, and how many of them were lost. */
interface OwnCount {
  readonly lost: number;
  readonly packets: number;
}

/**
 * The receiver's own count of a test after a warm-up: exact, whatever a queue held at the warm-up's end. The server's output has
 * it, as has the client's document if the client receives; in both, lost and arrived datagrams add up to the total. Null: neither
 * has it, e.g. with a 3.12 client that sends, whose count includes the warm-up's losses.
 */
function behindWarmUp({ server_output_text: text }: Iperf3Output, counts: Counts): OwnCount | null {
  const { arrived, counted, reached } = counts;
  const own = readServerOutput(text);
  const found = [
    { lost: count(own?.lost), packets: own?.packets ?? 0 },
    { lost: counted, packets: reached ?? 0 },
  ];
  for (const one of found) {
    const all = one.lost === null || arrived === null ? 0 : Math.round(one.lost + arrived);
    if (one.lost !== null && all > 0 && Math.abs(all - one.packets) <= LARGER_SHARE * all) {
      return { lost: one.lost, packets: all };
    }
  }
  return null;
}

/**
 * Adds the losses after the last datagram that arrived, which no receiver sees: those of the kernels without the gaps that it saw,
 * the warm-up's too. A client up to 3.12 that sends has the sum of both.
 */
function lossBehindWarmUp({ lost, packets }: OwnCount, counts: Counts): Loss {
  const { lostBetweenHosts: kernels, counted } = counts;
  const unseen = minus(counts.packets, counts.reached) ?? 0;
  const seen = Math.max(lost, counted ?? 0, lost + (counts.lostInWarmUp ?? 0));
  const most = Math.min(unseen, Math.max(0, (kernels ?? 0) - seen));
  const isSure = counts.lostInWarmUp !== null || seen > lost || (kernels ?? 0) - seen <= unseen;
  if (kernels === null ? unseen > lost : !isSure && most > LARGER_SHARE * packets) {
    return unknown(packets);
  }
  const last = isSure ? most : 0;
  // Where some behind the last seen one were lost, the others came after the receiver had stopped.
  return lossOf(packets + (last > 0 ? unseen : 0), lost + last);
}

/** Share of all datagrams whose loss makes no difference (`leastChange` of the loss). */
const NEGLIGIBLE_SHARE = 0.0001;
/** Share of all datagrams by which a counted loss may exceed the missing ones. */
const LARGER_SHARE = 0.001;
/** Datagrams that may come when a test is over. */
const MOST_LATE = 3;
/** A count of more than this many times all datagrams is invalid. */
const MAX_WARM_UP = 3;
/** Longest queue in seconds: that many of a warm-up's datagrams may arrive in the test. */
const LONGEST_QUEUE_SECONDS = 1;
/** Bounds further apart than this share of all datagrams leave the loss unknown. */
const WIDEST_SHARE = 0.005;

/**
 * Loss where both this count and the kernels' may include the warm-up's losses. At least the missing datagrams were lost, and at
 * most that plus the warm-up's datagrams in a queue when the test began. Unknown where these bounds are far apart.
 */
function withinBounds(
  counts: Counts & { readonly packets: number; readonly counted: number; readonly missing: number },
  hasWarmUp: boolean,
): Loss {
  const { packets, counted, missing, arrived, lostBetweenHosts, seconds } = counts;
  if (arrived === null) {
    return lossOf(packets, counted);
  }
  const bound = lostBetweenHosts ?? (counted > packets ? missing : counted);
  const queued = Math.round(missing + (arrived * LONGEST_QUEUE_SECONDS) / (seconds ?? 1));
  const most = Math.min(packets, queued, Math.max(missing, Math.min(counted, bound)));
  return hasWarmUp && most - missing > WIDEST_SHARE * packets ? unknown(packets) : lossOf(packets, most);
}
