/** search.py with the real iperf3, and with a fake one for misbehaviour. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caseResult } from "../../bench/assemble/case-result.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import { IPERF3_PORT } from "../../bench/tools/iperf3/index.ts";
import { MAX_REDUCED_BYTES } from "../../bench/tools/iperf3/output.ts";
import { type SearchOutput, search, searchOutputSchema } from "../../bench/tools/search/index.ts";
import type { SearchCase } from "../../bench/tools/search/plan.ts";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";
import { judged } from "../helpers/judged.ts";
import { onePair } from "../unit/bench/fixture.ts";

const PROGRAM = fileURLToPath(new URL("../../agent/search.py", import.meta.url));

function searchCase(input: object): SearchCase {
  return parsePlan({ cases: [{ tool: "search", durationSeconds: 1, ...input }] }).cases[0] as SearchCase;
}

/** The words after `python3 search.py` in a case's command. */
function words(input: object): string[] {
  return search.command(searchCase(input), "127.0.0.1").split(" ").slice(2);
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync("python3", ["-B", PROGRAM, ...args], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("with the real iperf3", () => {
  let host: AgentHost;
  beforeAll(async () => {
    host = await agentHost("server");
    expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
  });
  afterAll(() => host.dispose());

  // Slow enough for a sender and a receiver on CPUs that are busy with other tests.
  const easy = {
    ...{ goal: "ndr", minBitrate: "100K", maxBitrate: "200K", datagramBytes: 200, lossPercent: 5 },
    durationSumSeconds: 3,
  };
  const commandOf = (benchCase: SearchCase) =>
    search.command(benchCase, "127.0.0.1").replace(`--port ${IPERF3_PORT}`, `--port ${host.ports.iperf3}`);

  it("is a tool of the agent, whose report becomes a result", async () => {
    const benchCase = searchCase({ ...easy, streams: 2, direction: "ingress" });
    const command = commandOf(benchCase);
    await judged(
      () => host.run({ key: "search", command, reducer: "none" }),
      (report) => {
        expect(report).toMatchObject({ exitCode: 0, failure: null, stderr: "" });
        const result = caseResult({ topology: "t", case: benchCase, command, pairs: onePair(report) });
        expect(result.failure).toBeNull();
        const { search: found, ...best } = result.measurement!;
        expect(found).toMatchObject({ goal: "ndr", limitedBy: "range", confirmed: true });
        expect(found!.trials.map(({ offeredBitsPerSecond }) => offeredBitsPerSecond)).toEqual([2e5, 2e5]);
        expect(found!.found!).toBeGreaterThan(0.97 * 2e5);
        expect(best.streams).toHaveLength(2);
        expect(best.bitsPerSecond! / found!.trials[1]!.receivedBitsPerSecond!).toBeCloseTo(1, 3);
      },
    );
  });

  it("waits for a server that is busy", async () => {
    const port = String(host.ports.iperf3);
    const other = spawn("iperf3", ["-c", "127.0.0.1", "-p", port, "-t", "2", "-b", "1M", "--forceflush"]);
    const over = new Promise((resolve) => other.once("close", resolve));
    let said = "";
    other.stdout.on("data", (text) => (said += text));
    await expect.poll(() => said).toContain("connected to");
    const report = await host.run({ key: "busy", command: commandOf(searchCase(easy)) });
    const output = searchOutputSchema.parse(JSON.parse(report.stdout));
    expect(output.found).not.toBeNull();
    expect(output.trials.filter(({ problem }) => problem !== null)).toEqual([]);
    await over;
  });

  it("has trials with that problem where nothing listens", () => {
    const { status, stdout } = start(
      words({ ...easy, maxTrials: 9 }).map((word) => (word === "5201" ? "1" : word)),
    );
    expect(status).toBe(0);
    const output = searchOutputSchema.parse(JSON.parse(stdout));
    expect(output).toMatchObject({ found: null, iperf3: null, limitedBy: "trials" });
    expect(output.trials).toHaveLength(4);
    expect(output.trials[0]!.problem).toMatch(/connection refused/i);
  });
});

/**
 * A path of 5 Mbit/s. `FAKE` lists the results of its calls in order; further calls work: `busy`, `lost` (the control
 * connection), `silent` (no document), `crash`.
 */
const fakeIperf3 = `#!/usr/bin/env python3
import json, os, sys
directory, words = os.path.dirname(__file__), sys.argv
def after(option, default):
    return int(words[words.index(option) + 1]) if option in words else default
with open(os.path.join(directory, "calls"), "a+") as calls:
    calls.write(" ".join(words[1:]) + "\\n")
    calls.seek(0)
    turn = len(calls.readlines()) - 1
does = dict(enumerate(os.environ["FAKE"].split(","))).get(turn, "")
if does == "busy":
    sys.exit(print(json.dumps({"start": {}, "end": {}, "error": "error - the server is busy running a test. try again later"})))
if does == "lost":
    sys.exit(print(json.dumps({"start": {}, "end": {}, "error": "control socket has closed unexpectedly"})))
if does in ("silent", "crash"):
    print("iperf3: error - unable to receive results" if does == "silent" else "", file=sys.stderr)
    sys.exit(1 if does == "silent" else 139)
streams = after("-P", 1)
rate = after("-b", 0) * streams
received = min(rate, 5_000_000)
packets = rate // 8000
lost = max(0, packets - received // 8000)
total = dict(bits_per_second=rate, packets=packets, lost_packets=lost, bytes=rate // 8000 * 1000, seconds=1)
got = dict(total, bits_per_second=received, bytes=received // 8000 * 1000)
print(json.dumps({
    "start": {"version": "iperf fake", "test_start": {"protocol": "UDP", "num_streams": streams, "blksize": 1000, "reverse": 0}},
    "intervals": [], "end": {"streams": [{"udp": total}] * streams, "sum_sent": total, "sum_received": got}}))
`;

describe("with an iperf3 that misbehaves", () => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-search-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  let count = 0;

  function searchWith(fake: string, more: object = {}): Omit<SearchOutput, "packetRates"> {
    const own = join(directory, String(count++));
    mkdirSync(own);
    writeFileSync(join(own, "iperf3"), fakeIperf3);
    chmodSync(join(own, "iperf3"), 0o755);
    const rates = { minBitrate: "1M", maxBitrate: "20M", precisionPercent: 5, durationSumSeconds: 3 };
    const input = { goal: "ndr", ...rates, ...more };
    const env = { FAKE: fake, PATH: `${own}:${process.env.PATH}` };
    const { status, stdout, stderr } = start(words(input), env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    // The fake sends nothing: the machine's interfaces carried other traffic.
    const { packetRates: _, ...output } = searchOutputSchema.parse(JSON.parse(stdout));
    return output;
  }

  const undisturbed = searchWith("");

  it("has the reduced document of its best trial", () => {
    expect(undisturbed.found! / 5e6).toBeCloseTo(1, 1);
    expect(undisturbed).toMatchObject({
      limitedBy: "path",
      confirmed: true,
      iperf3: { end: { sum_sent: { bits_per_second: undisturbed.found } } },
    });
    expect(undisturbed.iperf3).not.toHaveProperty("end.sum_received.sender");
  });

  it("does not count a busy server as a trial", () => {
    expect(searchWith("busy,,,busy,busy")).toEqual(undisturbed);
  });

  it.each([
    ["lost", "control socket has closed unexpectedly"],
    ["silent", "unable to receive results"],
    ["crash", "ended with status 139, without figures"],
  ])("retries after a trial that ended %s", (how, problem) => {
    const output = searchWith(`,,${how}`);
    expect(output.found).toBe(undisturbed.found);
    const { offeredBitsPerSecond, streams } = undisturbed.trials[2]!;
    expect(output.trials[2]).toEqual({
      offeredBitsPerSecond,
      streams,
      durationSeconds: 1,
      ...{ sentBitsPerSecond: null, receivedBitsPerSecond: null, packets: null, lostPackets: null },
      ...{ lostPercent: null, passed: false, problem },
    });
    expect(output.trials.toSpliced(2, 1)).toEqual(undisturbed.trials);
  });

  it("ends in time, even when trials are left", () => {
    const args = words({ goal: "ndr", minBitrate: "1M", maxBitrate: "20M" });
    args[args.indexOf("--seconds") + 1] = "1"; // shorter than a trial
    const own = join(directory, "0"); // its calls are counted on: everything works
    const { stdout } = start(args, { FAKE: "", PATH: `${own}:${process.env.PATH}` });
    expect(JSON.parse(stdout)).toMatchObject({ limitedBy: "trials", confirmed: false });
    expect(JSON.parse(stdout).trials).toHaveLength(1);
  });
});

describe("what it prints", () => {
  it("fits with any trials and any number of streams", () => {
    const trial = {
      ...{ offeredBitsPerSecond: 999_999_999_999, streams: 128, durationSeconds: 3600 },
      ...{ sentBitsPerSecond: 999_999_999_999, receivedBitsPerSecond: 999_999_999_999 },
      packets: 999_999_999_999,
      lostPackets: 999_999_999_999,
      lostPercent: 12.345678901234567,
      passed: false,
      problem: null,
    };
    const none = { sentBitsPerSecond: null, receivedBitsPerSecond: null, packets: null, lostPackets: null };
    const failed = { ...trial, ...none, lostPercent: null, problem: "ä".repeat(160) };
    const stream = { bits_per_second: 999_999_999, jitter_ms: 99.9999, lost_packets: 9_999_999 };
    const interval = { end: 3599.99, bits_per_second: 999_999_999_999, packets: 99_999_999 };
    const goal = { goal: "ndr", found: 999_999_999_999, lossBoundPercent: 0, limitedBy: "path" };
    const document = {
      ...{ version: 1, ...goal },
      goals: Array(2).fill({ ...goal, goal: "pdr", conditionalBitsPerSecond: 999_999_999_999 }),
      trials: Array(60).fill([trial, failed]).flat(),
      iperf3: {
        intervals: Array(60).fill({ sum: interval }),
        end: { streams: Array(128).fill({ udp: { ...stream, packets: 99_999_999, out_of_order: 99_999 } }) },
      },
    };
    const [size, fitted] = evaluate(
      "(lambda one: [len(texts.encode(one)), one])(search.fit(data))",
      document,
    ) as [number, typeof document];
    expect(size).toBeLessThanOrEqual(MAX_REDUCED_BYTES);
    expect(fitted.iperf3.end).toEqual(document.iperf3.end);
    expect(fitted.trials).toHaveLength(120);
  });

  const udp = (changes: object) => ({
    start: { test_start: { blksize: 1000 } },
    end: {
      sum_sent: { bits_per_second: 8e6, packets: 1000 },
      sum_received: { bits_per_second: 8e6, bytes: 1e6, lost_packets: 0, ...changes },
    },
  });
  const figures = (changes: object, lost: number | null) =>
    evaluate("trial_figures.udp_figures(*data)", [udp(changes), lost]);
  it.each<[string, object, number | null, object]>([
    ["no loss", {}, null, { lostPackets: 0, lostPercent: 0 }],
    ["a loss", { lost_packets: 5, bytes: 995e3 }, 5, { lostPackets: 5, lostPercent: 0.5 }],
    ["datagrams that arrived after the count", { bytes: 995e3 }, 0, { lostPackets: 0, lostPercent: 0 }],
    [
      "datagrams that never arrived, though no loss was counted",
      { bytes: 995e3 },
      5,
      { lostPackets: 5, lostPercent: 0.5 },
    ],
    ["late datagrams beside lost ones", { bytes: 9e5, lost_packets: 3 }, 40, { lostPackets: 40 }],
    ["no more than the missing ones", { bytes: 995e3 }, 70, { lostPackets: 5 }],
    ["no less than the receiver counted", { bytes: 9e5, lost_packets: 30 }, 2, { lostPackets: 30 }],
    [
      "a loss that iperf3 does not report (issue 1984)",
      { bytes: 8e5 },
      200,
      { lostPackets: 200, lostPercent: 20 },
    ],
    ["nothing that arrived", { bytes: 0, bits_per_second: 0 }, 1000, { lostPackets: 1000, lostPercent: 100 }],
  ])("counts %s", (_, changes, lost, expected) => {
    expect(figures(changes, lost)).toMatchObject(expected);
  });

  it.each<[string, object, { reverse?: number; server_output_text?: string }?]>([
    ["to a part", { bytes: 999_006, lost_packets: 1 }],
    ["to their half, as the server counted", { bytes: 5e5 }, { server_output_text: "0/1000 (0%)  receiver" }],
    ["to their half, as the client counted", { bytes: 998e3, packets: 1000 }, { reverse: 1 }],
  ])(
    "has no figures of a trial whose datagrams were cut on their way, %s",
    (_, changes, { reverse, ...more } = {}) => {
      const document = { ...udp(changes), start: { test_start: { blksize: 1000, reverse } }, ...more };
      expect(() => evaluate("trial_figures.udp_figures(*data)", [document, 0])).toThrow(
        /some were cut on their way/,
      );
    },
  );

  it("has none where many that reached the receiver's kernel count as lost: it reads two that were cut as one", () => {
    const lost = (inKernels: number, isOfTest: boolean) =>
      evaluate("trial_figures.udp_figures(*data)", [
        udp({ lost_packets: 500, bytes: 5e5 }),
        inKernels,
        0,
        isOfTest,
      ]);
    expect(() => lost(0, true)).toThrow(/500 datagrams reached the receiver's kernel and count as lost/);
    expect(lost(0, false)).toEqual(lost(498, true));
  });

  it.each([
    ["in a second", { bytes: 999e3 }],
    ["in ten", { bytes: 999e3, seconds: 10 }],
    ["the way in", { bytes: 995e3, seconds: 1 }],
  ])("passes no trial with an unaccounted datagram, %s", (_, changes) => {
    expect(() => figures(changes, null)).toThrow(/neither arrived nor were counted as lost/);
  });
});
