import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { type ParseContext, ToolFailure } from "../../../bench/tools/tool.ts";
import { anyText } from "../../helpers/any-text.ts";
import { samples } from "../../helpers/samples.ts";
import { fixture, iperf3Case } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

describe("failures", () => {
  const stderrOf = (name: string) => ({ exitCode: 1, stderr: fixture(`iperf3/hand-made/${name}.stderr`) });
  const connectError = (reason: string) =>
    edited("iperf3/3.12-no-server.json", (document) => {
      document.error = `unable to connect to server: ${reason}`;
    });
  it.each<[string, string, Partial<ParseContext<Iperf3Case>>, string, string]>([
    ["no server", fixture("iperf3/3.12-no-server.json"), {}, "tool-error", "Connection refused"],
    [
      "no server, 3.9",
      fixture("iperf3/hand-made/3.9-no-server.json"),
      stderrOf("3.9-no-server"),
      "tool-error",
      "unable to connect to server: Connection refused",
    ],
    ["no route", connectError("No route to host"), {}, "no-route", "No route to host"],
    ["no network", connectError("Network is unreachable"), {}, "no-route", "Network is unreachable"],
    ["no answer", connectError("Connection timed out"), {}, "no-route", "timed out"],
    ["a busy server", fixture("iperf3/3.12-server-busy.json"), {}, "server-busy", "the server is busy"],
    [
      "a killed server",
      fixture("iperf3/3.12-server-killed.json"),
      {},
      "control-lost",
      "control socket has closed unexpectedly: iperf3's control connection",
    ],
    [
      "a terminated server",
      fixture("iperf3/3.12-server-terminated.json"),
      {},
      "tool-error",
      "the server has terminated",
    ],
    [
      "a terminated client",
      fixture("iperf3/3.12-client-sigterm.json"),
      { exitCode: 1 },
      "tool-error",
      "interrupt",
    ],
    [
      "a terminated client, 3.19",
      fixture("iperf3/hand-made/3.19-client-sigterm.json"),
      {},
      "tool-error",
      "interrupt",
    ],
    [
      "a time-out",
      fixture("iperf3/3.12-client-sigterm.json"),
      { timedOut: true, exitCode: null },
      "timeout",
      "still running at its time-out",
    ],
    [
      "no iperf3",
      "",
      { exitCode: 127, stderr: "sh: 1: iperf3: not found\n" },
      "tool-missing",
      "iperf3: not found",
    ],
    ["a crash", "", { exitCode: 139, stderr: "Segmentation fault\n" }, "tool-error", "Segmentation fault"],
    [
      "a crash without a word",
      "",
      { exitCode: 139 },
      "bad-output",
      "status 139 and without end figures; its output: nothing",
    ],
    ["garbage", "\u001b[31mgarbage", {}, "bad-output", 'its output: "garbage"'],
    [
      "half a document",
      fixture("iperf3/3.12-tcp-omit.json").slice(0, 2000),
      {},
      "bad-output",
      "without end figures",
    ],
    [
      "a parameter error",
      "",
      {
        exitCode: 1,
        stderr: "iperf3: parameter error - bogus value for --omit\nUsage: iperf3 [-s|-c host]\n",
      },
      "tool-error",
      "parameter error - bogus value for --omit",
    ],
    ["an empty document", "{}", {}, "bad-output", "without end figures"],
    [
      "an empty list of streams",
      edited("iperf3/3.12-tcp-omit.json", ({ end }) => end.streams.splice(0)),
      {},
      "bad-output",
      "without end figures",
    ],
    [
      "a text for a number",
      edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
        end.sum_received.bytes = "many";
      }),
      {},
      "bad-output",
      "not as expected at end.sum_received.bytes",
    ],
    [
      "both directions at once",
      fixture("iperf3/3.12-bidir.json"),
      {},
      "bad-output",
      "number of streams 2; expected 1",
    ],
    [
      "both directions at once, 3.9",
      fixture("iperf3/hand-made/3.9-bidir.json"),
      {},
      "bad-output",
      "number of streams 2; expected 1",
    ],
    [
      "the other direction",
      fixture("iperf3/3.12-tcp-reverse.json"),
      {},
      "bad-output",
      "direction ingress; expected egress",
    ],
    ["the other protocol", fixture("iperf3/3.12-udp.json"), {}, "bad-output", "protocol udp; expected tcp"],
    [
      "a control connection that a NAT forgot",
      fixture("iperf3/3.12-udp-control-lost.json"),
      {},
      "control-lost",
      "after its idle time-out",
    ],
    [
      "a black hole: connected, and not a byte arrived",
      edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
        end.sum_received.bytes = 0;
        end.sum_received.bits_per_second = 0;
      }),
      {},
      "nothing-received",
      "does the path drop full-sized packets (MTU)?",
    ],
    [
      "no datagram arrived",
      fixture("iperf3/hand-made/3.12-udp-nothing-arrived.json"),
      { case: udpCase },
      "nothing-received",
      "no datagram arrived, of 53565 sent",
    ],
  ])("%s", (_, stdout, how, failureClass, message) => {
    const failing = () => parse(stdout, how.case ?? iperf3Case, how);
    expect(failing).toThrow(ToolFailure);
    expect(failing).toThrow(
      expect.objectContaining({ failureClass, message: expect.stringContaining(message) }),
    );
  });

  it("throws only a ToolFailure for any input", () => {
    const names = ["3.12-tcp-omit", "3.12-udp", "3.12-no-server", "3.12-bidir", "hand-made/3.9-udp"];
    // Every second is read alike.
    const texts = names.map((name) => {
      const { intervals = [], ...rest } = JSON.parse(fixture(`iperf3/${name}.json`));
      return JSON.stringify({ ...rest, intervals: intervals.slice(0, 3) });
    });
    const value = fc.oneof(fc.constantFrom(null, -1, 0, 2 ** 64, "x", [], {}), fc.jsonValue({ maxDepth: 1 }));
    const damaged = fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(), anyText())
      .map(([text, at, length, patch]) => {
        const from = at % text.length;
        return text.slice(0, from) + patch + text.slice(from + (length % 40));
      });
    const replaced = fc.tuple(fc.constantFrom(...texts), fc.nat(), value).map(([text, at, replacement]) => {
      let seen = 0;
      const places = text.match(/"\w+":/g)?.length ?? 1;
      return JSON.stringify(JSON.parse(text, (_, old) => (seen++ === at % places ? replacement : old)));
    });
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json({ maxDepth: 2 }), damaged, replaced),
        fc.constantFrom(iperf3Case, udpCase),
        fc.record({ exitCode: fc.option(fc.nat(255)), timedOut: fc.boolean(), stderr: fc.string() }),
        (stdout, benchCase, how) => {
          try {
            parse(stdout, benchCase, how);
          } catch (error) {
            expect(error).toBeInstanceOf(ToolFailure);
          }
        },
      ),
      { numRuns: samples(200) },
    );
  });
});

describe("nothingMeasured", () => {
  it("is null throughout, never 0", () => {
    const { streams, series, ...rest } = nothingMeasured;
    expect([...streams, ...series, ...Object.values(rest)].every((value) => value === null)).toBe(true);
  });
});
