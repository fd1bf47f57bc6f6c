/** Accepted and refused reports of a host's agent. */
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportedUsage } from "../../../bench/agent/protocol.ts";
import { readHostFacts, readRunReport } from "../../../bench/agent/read-report.ts";
import { counted } from "./counted-host.ts";
import { silentFacts, silentReport } from "./fixture.ts";

const report = { ...silentReport, key: "1.direct.tcp.abc", stdout: "{}", sourceIp: "198.18.1.2" };

const packed = (text: string) => `${deflateSync(text, { level: 9 }).toString("base64")}\n`;

describe("a case's report", () => {
  test("is read as it is", () => {
    expect(readRunReport(JSON.stringify(report))).toEqual(report);
  });

  test("is read from zlib and base64, as agents print it", () => {
    expect(readRunReport(packed(JSON.stringify(report)))).toEqual(report);
  });

  test.each([
    [
      "unpacks to more than a report may have",
      packed(JSON.stringify({ ...report, stdout: "x".repeat(1e7) })),
    ],
    ["is cut short", packed(JSON.stringify(report)).slice(0, -40)],
    ["is not packed behind its first characters", "eNHello"],
  ])("that %s is a failed measurement", (_, text) => {
    const { failure } = readRunReport(text);
    expect(failure).toMatchObject({
      class: "bad-output",
      message: expect.stringMatching(/got \d+ bytes: "eN/),
    });
  });

  test.each(["\u001b]0;title\u0007", "1.2.3.4\n", "server", "1.2.3.256"])(
    "whose source address is %j is not taken for one",
    (sourceIp) => {
      const { failure } = readRunReport(JSON.stringify({ ...report, sourceIp }));
      expect(failure?.class).toBe("bad-output");
      expect(failure?.message).not.toMatch(/[\p{Cc}\u202e]/u);
    },
  );

  test("never contains control characters", () => {
    const hostile = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(hostile, hostile, (message, stderr) => {
        const text = JSON.stringify({ ...report, stderr, failure: { class: "tool-error", message } });
        const read = readRunReport(text);
        expect(`${read.stderr}${read.failure?.message}`).not.toMatch(
          /(?![\t\n])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u,
        );
      }),
    );
  });

  test.each([
    ["nothing", "", /got nothing/],
    ["no JSON", "Connection closed", /got 17 bytes: "Connection closed"/],
    ["another version", JSON.stringify({ ...report, version: 2 }), /got \d+ bytes/],
    ["a figure where a text belongs", JSON.stringify({ ...report, stdout: 1 }), /got \d+ bytes/],
    [
      "more than any machine has",
      JSON.stringify({ ...report, startedAfterMs: 1.1e18 }),
      /impossible figures/,
    ],
    [
      "less than any machine has",
      JSON.stringify({ ...report, startedAfterMs: -1e-41 }),
      /impossible figures/,
    ],
    [
      "more than a report may have",
      JSON.stringify({ ...report, stdout: "x".repeat(70_000) }),
      /got 70\d+ bytes/,
    ],
  ])("of %s is a failed measurement that says so", (_, text, message) => {
    const { failure } = readRunReport(text);
    expect(failure?.class).toBe("bad-output");
    expect(failure?.message).toMatch(message);
  });

  test("may contain the largest and smallest plausible figures", () => {
    for (const startedAfterMs of [0, 1e18, -1e18, 1e-40]) {
      expect(readRunReport(JSON.stringify({ ...report, startedAfterMs })).startedAfterMs).toBe(
        startedAfterMs,
      );
    }
  });

  test("never throws for any input", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readRunReport(text).failure?.class).toBe("bad-output");
        expect(readHostFacts(text)).toBeNull();
      }),
    );
  });
});

describe("a host's facts", () => {
  const facts = { ...silentFacts("instance", "nat"), memoryBytes: 8e9 };
  const read = (memoryBytes: number) =>
    readHostFacts(JSON.stringify({ version: 1, facts: { ...facts, memoryBytes } }));

  test("are read unchanged, and refused if implausible", () => {
    expect(read(8e9)).toEqual(facts);
    expect(read(1e300)).toBeNull();
  });
});

test.each([
  ["server", 400],
  ["client", 400],
  ["router", undefined],
  ["nat", undefined],
] as const)("datagrams that reach no socket of a %s are its firewall's: %s", (role, filtered) => {
  const { network } = reportedUsage.parse(counted(role, { filteredDatagrams: 400 }));
  expect(network?.udp?.filteredDatagrams).toBe(filtered);
});
