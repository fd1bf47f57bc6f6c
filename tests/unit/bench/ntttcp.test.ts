import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { Role } from "../../../bench/results/index.ts";
import { isReversed, servicesOf } from "../../../bench/tools/index.ts";
import { ntttcp } from "../../../bench/tools/ntttcp/index.ts";
import type { NtttcpCase } from "../../../bench/tools/ntttcp/plan.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { failure, recorded, tcp, udp } from "./ntttcp-case.ts";

/** Words of the sender's command line, without the file that the shell fills in. */
function senderWords(benchCase: NtttcpCase): string[] {
  const line = / (ntttcp -s [^;]*) -x"\$f";/.exec(ntttcp.command(benchCase, "198.18.0.2"))?.[1];
  return (line ?? "").split(" ");
}

describe("cases", () => {
  it("have ids that name unusual values", () => {
    const cases = [
      { tool: "ntttcp", direction: ["egress", "ingress"], streams: 64, durationSeconds: "5m" },
      { tool: "ntttcp", protocol: "udp", datagramBytes: [64, 1400], durationSeconds: 9 },
      { tool: "ntttcp", connectionsPerStream: 4, durationSeconds: 9, omitSeconds: 2 },
    ];
    expect(parsePlan({ cases }).cases).toMatchObject([
      { id: "ntttcp-tcp-egress-p64", streams: 64, datagramBytes: null, durationSeconds: 300 },
      { id: "ntttcp-tcp-ingress-p64", direction: "ingress" },
      { id: "ntttcp-udp-egress-64B", datagramBytes: 64 },
      { id: "ntttcp-udp-egress-1400B", datagramBytes: 1400 },
      { id: "ntttcp-tcp-egress-n4", connectionsPerStream: 4, omitSeconds: 2, streams: 1 },
    ]);
  });

  it.each([
    [{ streams: 65 }, "streams: got 65; expected a whole number of streams from 1 to 64"],
    [{ connectionsPerStream: 9 }, "connectionsPerStream: got 9"],
    [{ datagramBytes: 1400 }, "datagramBytes: got 1400 with protocol tcp"],
    [{ bitrate: "10M" }, 'unknown key "bitrate"'],
  ])("refuse %j", (wrong, message) => {
    const plan = { cases: [{ tool: "ntttcp", durationSeconds: 5, ...wrong }] };
    expect(() => parsePlan(plan)).toThrow(message);
  });

  it("of the preset are 5 minutes of TCP each way with 64 streams; the server runs ingress", () => {
    const { cases } = parsePlan("ntttcp");
    expect(cases.map((one) => [one.id, one.tool, one.durationSeconds, isReversed(one)])).toEqual([
      ["ntttcp-tcp-egress-p64", "ntttcp", 300, false],
      ["ntttcp-tcp-ingress-p64", "ntttcp", 300, true],
    ]);
  });

  it("of other tools are never run by the server", () => {
    const cases = [{ tool: "iperf3", direction: "ingress", durationSeconds: 1 }];
    expect(parsePlan({ cases }).cases.map(isReversed)).toEqual([false]);
  });
});

describe("command", () => {
  it.each([
    [tcp, "ntttcp -s 198.18.0.2 -p 5135 -P 4 -n 1 -t 3 -W 1 -Q -V"],
    [udp, "ntttcp -s 198.18.0.2 -p 5205 -u -P 2 -n 1 -t 3 -b 1400 -Q -V"],
    [
      { ...tcp, streams: 64, connectionsPerStream: 2 },
      "ntttcp -s 198.18.0.2 -p 5135 -P 64 -n 2 -t 3 -W 1 -Q",
    ],
  ])("%#", (benchCase, command) => {
    expect(senderWords(benchCase).join(" ")).toBe(command);
  });

  const switches = (words: readonly string[]) => words.filter((word) => word.startsWith("-"));
  const documented = (name: string) => new RegExp(`^\\t${name} `, "m").test(recorded("1.4.3-help.txt"));

  it("uses switches that ntttcp documents, and so do the receivers", () => {
    const receivers = servicesOf([tcp], "client").map(({ command }) => [...command]);
    const used = new Set([
      ...switches(senderWords(tcp)),
      ...switches(senderWords(udp)),
      ...receivers.flatMap(switches),
    ]);
    expect(used.size).toBeGreaterThan(10);
    expect([...used, "-x"].filter((name) => !documented(name))).toEqual([]);
    expect(documented("-Z")).toBe(false);
  });

  it("passes on exit status and output, and leaves no file behind", () => {
    const script = ntttcp.command(tcp, "198.18.0.2");
    const shell = (ntttcpBody: string) =>
      spawnSync(
        "sh",
        ["-c", `mktemp() { command mktemp -p "$D"; }; ntttcp() { ${ntttcpBody}; }; ${script}`],
        {
          encoding: "utf8",
          env: { ...process.env, D: "/tmp" },
        },
      );
    const done = shell(
      'for last; do :; done; echo "log"; echo "<xml>$last" >$(echo "$last" | cut -c 3-); return 24',
    );
    expect(done.stdout).toMatch(/^log\n<xml>-x\/\S+\n$/);
    expect(done.status).toBe(24);
    const file = done.stdout.trim().split("-x").at(-1) as string;
    expect(spawnSync("test", ["-e", file]).status).toBe(1);
  });

  it("says how to get a missing tool", () => {
    const done = spawnSync("/bin/sh", ["-c", ntttcp.command(tcp, "198.18.0.2")], {
      encoding: "utf8",
      env: { PATH: "/nowhere" },
    });
    expect(done.status).toBe(127);
    expect(done.stderr).toContain("github.com/microsoft/ntttcp-for-linux");
    expect(failure("", tcp, { exitCode: 127, stderr: done.stderr })).toMatchObject({ class: "tool-missing" });
  });
});

describe("its receivers", () => {
  const names = (cases: readonly Case[], role: Role) =>
    servicesOf(cases, role).map(({ name, port }) => `${name} ${port}`);

  it("run only on the ends of a path, and only for plans that use them", () => {
    expect(names([tcp], "client")).toEqual(["ntttcp TCP 5134", "ntttcp UDP 5204"]);
    expect(names([tcp], "server")).toContain("ntttcp UDP 5204");
    expect(names([tcp], "nat")).toEqual([]);
    expect(names([], "server").join()).not.toContain("ntttcp");
  });

  it("accept the sender's maximum of streams", () => {
    for (const { name, port, command } of servicesOf([tcp], "client")) {
      expect(command.join(" ")).toBe(
        `ntttcp -r ${name === "ntttcp UDP" ? "-u " : ""}-H -e -Q -t 1 -P 64 -p ${port + 1}`,
      );
    }
  });

  it("are left out by a host that lacks the tool", () => {
    const spec = { services: servicesOf([tcp], "client") };
    expect(evaluate("services.wanted_services(data)", spec)).toEqual([]);
  });
});
