import { describe, expect, it } from "vitest";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { fixture, iperf3Case } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

describe("failures", () => {
  const stderrOf = (name: string) => ({ exitCode: 1, stderr: fixture(`iperf3/hand-made/${name}.stderr`) });
  const connectError = (reason: string) =>
    edited("iperf3/3.12-no-server.json", (document) => {
      document.error = `unable to connect to server: ${reason}`;
    });
  const recorded = (name: string) => fixture(`iperf3/${name}.json`);
  const omit = (edit: Parameters<typeof edited>[1]) => edited("iperf3/3.12-tcp-omit.json", edit);
  type How = Partial<ParseContext<Iperf3Case>>;
  const bogus = "parameter error - bogus value for --omit";
  const how = {
    stopped: { timedOut: true, exitCode: null },
    missing: { exitCode: 127, stderr: "sh: 1: iperf3: not found\n" },
    crash: { exitCode: 139, stderr: "Segmentation fault\n" },
    usage: { exitCode: 1, stderr: `iperf3: ${bogus}\nUsage: iperf3 [-s|-c host]\n` },
  };
  const refused = "unable to connect to server: Connection refused";
  const closed = "control socket has closed unexpectedly: a connection of the test was lost";
  const write = "unable to write to stream socket: Connection refused";
  const silent = "status 139 and without end figures; its output: nothing";
  const text = omit(({ end }) => Object.assign(end.sum_received, { bytes: "many" }));
  const none = omit(({ end }) => Object.assign(end.sum_received, { bytes: 0, bits_per_second: 0 }));
  const lost = recorded("hand-made/3.12-udp-nothing-arrived");
  it.each<[string, string, string, string, How?]>([
    ["no server", recorded("3.12-no-server"), "tool-error", "Connection refused"],
    ["no server, 3.9", recorded("hand-made/3.9-no-server"), "tool-error", refused, stderrOf("3.9-no-server")],
    ["no route", connectError("No route to host"), "no-route", "No route to host"],
    ["no network", connectError("Network is unreachable"), "no-route", "Network is unreachable"],
    ["no answer", connectError("Connection timed out"), "no-route", "timed out"],
    ["a busy server", recorded("3.12-server-busy"), "server-busy", "the server is busy"],
    ["a killed server", recorded("3.12-server-killed"), "control-lost", closed],
    ["a terminated server", recorded("3.12-server-terminated"), "tool-error", "the server has terminated"],
    ["a terminated client", recorded("3.12-client-sigterm"), "tool-error", "interrupt", { exitCode: 1 }],
    ["a terminated client, 3.19", recorded("hand-made/3.19-client-sigterm"), "tool-error", "interrupt"],
    ["a time-out", recorded("3.12-client-sigterm"), "timeout", "still running at its time-out", how.stopped],
    ["no iperf3", "", "tool-missing", "iperf3: not found", how.missing],
    ["a crash", "", "tool-error", "Segmentation fault", how.crash],
    ["a crash without a word", "", "bad-output", silent, { exitCode: 139 }],
    ["garbage", "\u001b[31mgarbage", "bad-output", 'its output: "garbage"'],
    ["half a document", recorded("3.12-tcp-omit").slice(0, 2000), "bad-output", "without end figures"],
    ["a parameter error", "", "tool-error", bogus, how.usage],
    ["an empty document", "{}", "bad-output", "without end figures"],
    ["no streams", omit(({ end }) => end.streams.splice(0)), "bad-output", "without end figures"],
    ["a text for a number", text, "bad-output", "not as expected at end.sum_received.bytes"],
    ["both directions", recorded("3.12-bidir"), "bad-output", "number of streams 2; expected 1"],
    ["both, 3.9", recorded("hand-made/3.9-bidir"), "bad-output", "number of streams 2; expected 1"],
    ["another direction", recorded("3.12-tcp-reverse"), "bad-output", "direction ingress; expected egress"],
    ["the other protocol", recorded("3.12-udp"), "bad-output", "protocol udp; expected tcp"],
    ["a forgetful NAT", recorded("3.12-udp-control-lost"), "control-lost", "after its idle time-out"],
    [
      "a forgetful NAT, UDP",
      connectError("").replace(/unable to connect[^"]*/, write),
      "control-lost",
      write,
    ],
    ["a black hole", none, "nothing-received", "does the path drop full-sized packets (MTU)?"],
    ["no datagram", lost, "nothing-received", "no datagram arrived, of 53565 sent", { case: udpCase }],
  ])("%s", (_, stdout, failureClass, message, how = {}) => {
    expect(() => parse(stdout, how.case ?? iperf3Case, how)).toThrow(toolFailure(failureClass, message));
  });
});
