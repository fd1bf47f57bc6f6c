import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { timeoutSeconds } from "../../../bench/tools/index.ts";
import { search } from "../../../bench/tools/search/index.ts";
import type { SearchCase } from "../../../bench/tools/search/plan.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { ended, fixture } from "./fixture.ts";

function searchCase(input: object): SearchCase {
  return parsePlan({ cases: [{ tool: "search", durationSeconds: 1, ...input }] }).cases[0] as SearchCase;
}

const pdrCase = searchCase({ goal: "pdr", maxBitrate: "3G", datagramBytes: 1400, streams: 2 });
const peakCase = searchCase({ goal: "peak" });
const ndrCase = searchCase({ goal: "ndr", maxBitrate: "3G" });
const pdr = fixture("search/3.12-pdr.json");
const peak = fixture("search/3.12-peak.json");
const noServer = fixture("search/3.12-no-server.json");

const parse = (stdout: string, benchCase: SearchCase, how: Partial<ParseContext<SearchCase>> = {}) =>
  search.parse(stdout, ended(benchCase, how));

/** A recording, edited. */
// biome-ignore lint/suspicious/noExplicitAny: recordings are edited anywhere
function edited(recording: string, edit: (document: any) => void): string {
  const document = JSON.parse(recording);
  edit(document);
  return JSON.stringify(document);
}

describe("command", () => {
  it("has every bound of a rate", () => {
    expect(search.command(pdrCase, "198.18.0.2")).toBe(
      "python3 .egress-bench/search.py --goal pdr --address 198.18.0.2 --port 5201 --direction egress " +
        "--duration 1 --omit 0 --seconds 324 --max-trials 108 --precision-percent 1 " +
        "--min-rate 3000000 --max-rate 3000000000 --streams 2 --bytes 1400 --loss-percent 0.5 " +
        "--duration-sum 21 --exceed-percent 50",
    );
  });

  const several = searchCase({
    ...{ goal: "ndr-pdr", maxBitrate: "1G" },
    moreGoals: [
      { lossPercent: 0, durationSeconds: 10, durationSumSeconds: 60 },
      { lossPercent: 0.001, durationSeconds: 30, exceedPercent: 20 },
    ],
  });

  it("has further goals, each with its durations and share", () => {
    expect(search.command(several, "198.18.0.2")).toMatch(/ --more-goals 0:10:60:50,0\.001:30:30:20$/);
    expect(several.maxTrials).toBe(120); // not 24 + 4 * (21 + 6 + 1), the most allowed
    expect(search.expectedSeconds(several)).toBe(several.maxTrials * 32);
    expect(() => searchCase({ goal: "peak", moreGoals: [{ lossPercent: 0, durationSeconds: 1 }] })).toThrow(
      /moreGoals: got a value, but goal peak/,
    );
  });

  it("has loss bounds and trial lengths in its title, without which a rate means nothing", () => {
    expect(search.title(ndrCase)).toBe("UDP egress, search for no loss in trials of 1 s");
    expect(search.title(several)).toBe(
      "UDP egress, search for no loss and 0.5 % of loss in trials of 1 s, no loss in trials of 10 s, 0.001 % of loss in trials of 30 s",
    );
    expect(search.title(peakCase)).toBe("TCP egress, peak search");
  });

  it("has both bounds of a search for two rates", () => {
    const both = { goal: "ndr-pdr", maxBitrate: "3G", pdrLossPercent: 0.2, durationSumSeconds: 60 };
    expect(search.command(searchCase({ ...both, durationSeconds: 10 }), "198.18.0.2")).toMatch(
      / --goal ndr-pdr .* --max-trials 48 .* --loss-percent 0 --pdr-loss-percent 0.2 --duration-sum 60 /,
    );
  });

  it("tries a rate as often as `confirmations` says", () => {
    const sumOf = (input: object) =>
      searchCase({ goal: "ndr", maxBitrate: "1G", ...input }).durationSumSeconds;
    expect(sumOf({ durationSeconds: 10 })).toBe(21);
    expect(sumOf({ durationSeconds: 30 })).toBe(30);
    expect(sumOf({ durationSeconds: 10, confirmations: 4 })).toBe(50);
    expect(sumOf({ durationSeconds: 10, confirmations: 4, durationSumSeconds: 10 })).toBe(10);
  });

  it("has no rate options for a search for streams", () => {
    expect(search.command(searchCase({ goal: "peak", direction: "ingress" }), "198.18.0.2")).toMatch(
      / --direction ingress .* --confirmations 1 --max-streams 128$/,
    );
  });

  it("is given time for all trials, and ends itself before it is ended", () => {
    const long = searchCase({ goal: "peak", durationSeconds: 30, omitSeconds: 3, maxTrials: 60 });
    expect(search.expectedSeconds(long)).toBe(60 * (30 + 3 + 2));
    // Time that search.py allows a hanging trial, in addition to the above.
    for (const one of [long, peakCase, searchCase({ goal: "peak", maxTrials: 1 })]) {
      expect(timeoutSeconds(one)).toBeGreaterThan(search.expectedSeconds(one) + 10);
    }
  });
});

describe("parse", () => {
  it("has the search, and the figures of the last passed trial at the found rate", () => {
    const { measurement, version } = parse(pdr, pdrCase);
    expect(version).toBe("3.12");
    const { trials, ...found } = measurement.search!;
    expect(found).toEqual({
      goal: "pdr",
      found: 168_658_170,
      lossBoundPercent: 5,
      limitedBy: "path",
      confirmed: true,
      goals: null, // of a release before there were several
    });
    expect(trials).toHaveLength(8);
    expect(trials[0]).toEqual({
      offeredBitsPerSecond: 3e9,
      streams: 2,
      durationSeconds: null,
      sentBitsPerSecond: 390_700_257,
      receivedBitsPerSecond: 261_637_974,
      packets: 35_176,
      lostPackets: 11_443,
      lostPercent: 32.53070275187628,
      passed: false,
      problem: null,
    });
    expect(measurement).toMatchObject({
      bitsPerSecond: trials[7]!.receivedBitsPerSecond,
      sentBitsPerSecond: trials[7]!.sentBitsPerSecond,
      packets: 15_060,
      lostPackets: 0,
      jitterMs: 0.0103,
      latencyUs: null,
    });
    expect(measurement.streams).toHaveLength(2);
    expect(measurement.series).toHaveLength(1);
  });

  it("has the best trial's own loss, though the hosts counted the datagrams of all trials", () => {
    const text = edited(pdr, ({ trials, iperf3 }) => {
      trials[7].lostPackets = 20;
      iperf3.end.sum_received.bytes -= 20 * 1400;
    });
    expect(parse(text, pdrCase, { arrivedDatagrams: 100_000 }).measurement.lostPackets).toBe(20);
  });

  it("has the number of streams with the highest rate, which are its flows", () => {
    const { measurement } = parse(peak, peakCase);
    expect(search.flows(peakCase, measurement)).toBe(measurement.search!.found);
    expect(search.flows(peakCase, null)).toBeNull();
    const { found, trials } = measurement.search!;
    expect(measurement.streams).toHaveLength(found!);
    const last = trials.findLast(({ streams }) => streams === found)!;
    expect(measurement.bitsPerSecond).toBe(last.receivedBitsPerSecond);
    expect(measurement.packets).toBeNull();
  });

  it("has a result without a figure if every rate lost too much", () => {
    const nothing = edited(pdr, (document) => {
      document.found = null;
      document.confirmed = false;
      document.iperf3 = null;
    });
    const { measurement, version } = parse(nothing, pdrCase);
    expect(measurement.search).toMatchObject({ found: null, confirmed: false });
    expect(measurement.search!.trials).toHaveLength(8);
    expect(measurement).toMatchObject({ bitsPerSecond: null, lostPercent: null, streams: [] });
    expect(version).toBeNull();
  });

  const busy = edited(noServer, ({ trials }) => {
    for (const trial of trials) trial.problem = "the server is busy running a test. try again later";
  });
  const without = edited(pdr, (document) => Object.assign(document, { iperf3: null }));
  const lacking = edited(pdr, ({ trials }) => delete trials[3].lostPercent);
  const refused = "no trial has figures: unable to connect to server: Connection refused";
  const said = (exitCode: number, stderr: string) => ({ exitCode, stderr });
  const bad = said(2, "search.py: --goal: expected one of ndr");
  const missing = said(127, "search.py: iperf3: not found");
  const others = { ...pdrCase, streams: 3 };
  it.each<[string, string, SearchCase, string, string, Partial<ParseContext<SearchCase>>?]>([
    ["no server", noServer, ndrCase, "tool-error", refused],
    ["a busy server", busy, ndrCase, "server-busy", "no trial has figures: the server is busy"],
    ["another search", pdr, ndrCase, "bad-output", "is for pdr; expected ndr"],
    ["another number of streams", pdr, others, "bad-output", "number of streams 2; expected 3"],
    ["no document", without, pdrCase, "bad-output", "has a figure; expected an iperf3 document with it"],
    ["a trial without a figure's key", lacking, pdrCase, "bad-output", "without a result"],
    ["half a document", pdr.slice(0, pdr.length / 2), pdrCase, "bad-output", "without a result"],
    ["bad options", "", pdrCase, "bad-output", `status 2 and without a result: ${bad.stderr}`, bad],
    ["no iperf3", "", pdrCase, "tool-missing", "iperf3: not found", missing],
    ["a time-out", pdr, pdrCase, "timeout", "still running", { timedOut: true }],
    ["nothing", "", pdrCase, "bad-output", "its output: nothing"],
  ])("%s", (_, stdout, benchCase, failureClass, message, how = {}) => {
    expect(() => parse(stdout, benchCase, how)).toThrow(toolFailure(failureClass, message));
  });
});
