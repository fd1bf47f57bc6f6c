/** Refusals, questions and output of `npm run compare`. Real runs: `tests/lab/cli/`. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { comparisons } from "../../../cli/run/arguments.ts";
import { compare } from "../../../cli/run/command.ts";
import { costLines, stackCost, whyAsk } from "../../../cli/run/cost.ts";
import { duration, ProgressBoard, progressText } from "../../../cli/terminal/progress-board.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { type Ask, asked } from "../../helpers/ran.ts";

const run = (argv: string[], ask: Ask = null) => asked(compare, argv, ask);

describe("npm run compare, asked wrongly", () => {
  it.each([
    [[], "--cloud: expected azure or aws or local or hosts; got nothing"],
    [["--cloud", "gcp"], '--cloud: expected azure or aws or local or hosts; got "gcp"'],
    [["--matrix", "none.yaml"], "--matrix: none.yaml cannot be read: no such file or directory"],
    [["--cloud", "azure", "--stacks", "x"], "unknown option '--stacks'"],
    [["--cloud", "azure", "--stack", "nowhere"], "--stack: there is no stacks/Pulumi.nowhere.yaml"],
    [
      ["--cloud", "azure", "--stack", "aws-direct"],
      '--stack: expected a stack of cloud "azure"; aws-direct is of "aws"',
    ],
    [["--cloud", "aws", "--plan", "quik"], '--plan: got "quik"; expected quick, standard'],
    [["--cloud", "aws", "--plan", "none.yaml"], "--plan: expected a plan in "],
    [["--cloud", "aws", "--paln", "quick"], "unknown option '--paln'; did you mean --plan?"],
    [["--cloud", "aws", "--duration", "0"], '--duration: got "0"; expected whole seconds from 1 to'],
    [["--cloud", "aws", "--rate-scale", "x"], '--rate-scale: got "x"; expected a number'],
    [["--cloud", "azure", "--stack", "compere"], "; did you mean compare"],
    [
      ["--cloud", "aws", "--parallel", "0"],
      '--parallel: expected a whole number of stacks from 1 to 16; got "0"',
    ],
    [
      ["--cloud", "azure", "--resume", "--plan", "quick"],
      "--resume and --plan exclude each other: the interrupted run's plan goes on",
    ],
    [["--cloud", "azure", "--down", "--keep"], "--down and --keep exclude each other; leave one out"],
  ])("%j is refused with status 2", async (argv, message) => {
    const { status, stdout, stderr } = await run(argv);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  it("--help explains every option and every exit status", async () => {
    const { status, stdout } = await run(["--help"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Exit status: 0 .* 1 [\s\S]* 2 [\s\S]* 3 [\s\S]* 130 /);
  });
});

describe("consent", () => {
  it("is refused without a person to ask, and the cost is shown first", async () => {
    const { status, stderr } = await run(["--cloud", "azure"]);
    expect(status).toBe(2);
    for (const stack of comparisons.azure) {
      expect(stderr).toMatch(new RegExp(`^${stack}: measures for .* USD an hour`, "m"));
    }
    expect(stderr).toMatch(/it may cost \d+\.\d\d USD.*--yes/);
  });

  it("is requested on a terminal, and its refusal deploys nothing", async () => {
    const asked: string[] = [];
    const { status, stderr } = await run(["--cloud", "aws"], async (question) => {
      asked.push(question);
      return false;
    });
    expect(asked).toEqual([expect.stringMatching(/^Go on, though it may cost .*\[y\/N\] $/)]);
    expect(stderr).toContain("not agreed to; nothing was changed");
    expect(status).toBe(2);
  });

  it.each([
    [["--yes"], null],
    [[], async () => true],
  ] as const)("%j starts the run", async (more, ask) => {
    const { stderr } = await run(["--cloud", "aws", ...more], ask);
    expect(stderr).toContain("a run was started");
  });

  it("is not needed for a short and cheap run", async () => {
    const { stderr } = await run(["--cloud", "azure", "--stack", "direct", "--plan", "rtt"]);
    expect(stderr).toContain("a run was started");
    expect(stderr).not.toContain("--yes");
  });
});

describe("stackCost", () => {
  const { azure } = priceSnapshots;
  const plan = parsePlan({
    cases: [{ tool: "iperf3", protocol: "udp", bitrate: "1G", durationSeconds: 80, direction: "egress" }],
  });
  const file = (topology: string) => ({
    name: "s",
    cloud: "azure" as const,
    plan: {},
    topologies: [{ name: "t", topology, options: {} }],
    settings: {
      ...{ clientSize: "Standard_B2s", serverSize: "Standard_DS3_v2" },
      ...{ location: "eastus", serverLocation: "westus2" },
    },
    pairs: 1,
  });

  it("counts client, server, jump host, gateway, addresses and 10 GB sent", () => {
    const cost = stackCost(file("nat-gateway"), plan, azure);
    expect(cost.hourlyUsd).toBeCloseTo(0.0416 + 0.229 + 0.0094 + 0.045 + 3 * 0.005, 8);
    expect(cost.trafficUsd).toBeCloseTo(10 * (0.045 + 0.087), 8);
    expect(cost.missing).toEqual([]);
    expect(cost.totalUsd).toBeGreaterThan(cost.hourlyUsd * 0.5 + cost.trafficUsd);
  });

  it("counts the server's traffic", () => {
    const ingress = { ...plan, cases: plan.cases.map((one) => ({ ...one, direction: "ingress" as const })) };
    expect(stackCost(file("direct"), ingress, azure).trafficUsd).toBeCloseTo(10 * 0.087, 8);
  });

  it.each([
    ["nat-gateway", 4 * (0.0416 + 0.229 + 0.005) + 0.0094 + 0.045 + 2 * 0.005],
    ["direct", 4 * (0.0416 + 0.229 + 0.005 + 0.005)],
    ["vpn-gateway", 4 * (0.0416 + 0.229 + 2 * 0.005) + 2 * (0.21 + 0.005)],
  ])(
    "counts a client, a server at its own region's price, and addresses for each pair of %s",
    (topology, hourlyUsd) => {
      const cost = stackCost({ ...file(topology), pairs: 4 }, plan, azure);
      expect(cost.hourlyUsd).toBeCloseTo(hourlyUsd, 8);
    },
  );

  it("prices the tests of one region as traffic within it, not as the internet's", () => {
    // Traffic of the published comparison: TCP for 90 s, at the machines' limits of 12.5 and 15 Gbit/s.
    const bothWays = parsePlan({
      cases: [{ tool: "iperf3", direction: ["egress", "ingress"], durationSeconds: 90, omitSeconds: 0 }],
    });
    const traffic = (stack: string, cloud: "azure" | "aws") => {
      return stackCost(readStackFile(stack), bothWays, priceSnapshots[cloud]).trafficUsd;
    };
    // 281.25 GB through the gateway, in and out, at 0.045.
    expect(traffic("compare", "azure")).toBeCloseTo(281.25 * 0.045, 2);
    // 337.5 GB on each of four paths, 0.01 at each end; and through the gateway at 0.045.
    expect(traffic("aws-compare", "aws")).toBeCloseTo(337.5 * (4 * 2 * 0.01 + 0.045), 2);
  });

  it("counts four clients and servers of an AWS NAT gateway", () => {
    const own = { ...readStackFile("aws-nat-gateway"), pairs: 4 };
    const { hourlyUsd } = stackCost(own, parsePlan(own.plan), priceSnapshots.aws);
    expect(hourlyUsd).toBeCloseTo(4 * (1.16 + 0.1632 + 0.005) + 0.0042 + 0.045 + 2 * 0.005, 8);
  });

  test.each([
    ["nat-gateway", { publicIpCount: 4 }],
    ["nat-gateway", { publicIpPrefixLength: 28 }],
    ["nat-instance", { publicIpCount: 2 }],
    ["nat-instance", { size: "Standard_D8ls_v5" }],
    ["load-balancer", { publicIpCount: 2 }],
    ["firewall", { tier: "Premium" }],
    ["firewall", { publicIpCount: 3 }],
    ["vpn-gateway", { clientActiveActive: true }],
    ["vpn-gateway", { serverActiveActive: true }],
  ])("%s with %j costs more", (topology, options) => {
    const one = file(topology);
    const more = { ...one, topologies: [{ name: "t", topology, options }] };
    expect(stackCost(more, plan, azure).hourlyUsd).toBeGreaterThan(stackCost(one, plan, azure).hourlyUsd);
  });

  test.each([
    ["vpn-gateway", "VpnGw5AZ", "vpn-gateway-hour:VpnGw5AZ"],
    ["expressroute", "UltraPerformance", "expressroute-gateway-hour:UltraPerformance"],
  ])("%s of SKU %s, whose price is not known, is not priced as the usual one", (topology, sku, meter) => {
    const own = { ...file(topology), topologies: [{ name: "t", topology, options: { sku } }] };
    expect(stackCost(own, plan, azure).missing).toEqual([meter]);
  });

  it("reads the pairs of a stack's file", () => {
    expect(readStackFile("local-pairs").pairs).toBe(4);
    expect(readStackFile("direct").pairs).toBe(1);
  });

  it("names a size without a price, which requires consent", () => {
    const odd = { ...file("direct"), settings: { clientSize: "Standard_Odd" } };
    const cost = stackCost(odd, plan, azure);
    expect(cost.missing).toEqual(["vm-hour:Standard_Odd"]);
    expect(whyAsk([cost])).toContain("not all of its prices are known");
    expect(costLines([cost], azure)[0]).toContain("no price known: vm-hour:Standard_Odd");
  });

  it.each(Object.entries(comparisons).flatMap(([cloud, stacks]) => stacks.map((stack) => [cloud, stack])))(
    "knows every price of %s's %s",
    (cloud, stack) => {
      const own = readStackFile(stack);
      const book = priceSnapshots[cloud as "azure" | "aws"] ?? null;
      const cost = stackCost(own, parsePlan(own.plan), book);
      expect(cost.missing).toEqual([]);
      expect(cost.hourlyUsd > 0).toBe(book !== null);
    },
  );
});

describe("progress", () => {
  it("is one line that fits, for any text", () => {
    const seconds = fc.double({ min: 0, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        seconds,
        fc.option(fc.record({ seconds, afterSeconds: seconds }), { nil: undefined }),
        fc.integer({ min: 1, max: 200 }),
        (name, text, elapsed, expected, columns) => {
          expect(progressText(name, text, elapsed, expected, columns).length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it("shows elapsed and remaining time and never a full bar", () => {
    const expected = { seconds: 30, afterSeconds: 600 };
    expect(progressText("compare", "[3/21] direct  tcp-egress", 15, expected, 120)).toBe(
      "compare: [3/21] direct  tcp-egress  [######......] 15 s of 30 s, 10 min left",
    );
    expect(progressText("compare", "x", 300, expected, 120)).toMatch(
      /\[#{11}\.\] 5 min of 30 s, 10 min left$/,
    );
    expect(progressText("compare", "Deploying", 100, undefined, 120)).toBe("compare: Deploying  2 min");
  });

  test.each([
    [0.4, "0 s"],
    [99, "99 s"],
    [100, "2 min"],
    [3599, "1 h 00 min"],
    [3900, "1 h 05 min"],
  ])("%s s is %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  it("redraws one line per run on a terminal, below the permanent lines", () => {
    const written: string[] = [];
    const board = new ProgressBoard(
      { isTTY: true, columns: 80, write: (text) => written.push(text) },
      () => 0,
    );
    const [a, b] = [board.row("a"), board.row("b")];
    a.step("first");
    b.step("second");
    written.length = 0;
    a.line("done");
    expect(written.join("")).toBe("\u001b[2A\r\u001b[0Ja: done\na: first  0 s\nb: second  0 s\n");
    written.length = 0;
    a.stop();
    expect(written.join("")).toBe("\u001b[2A\r\u001b[0Jb: second  0 s\n");
    b.stop();
  });

  it("is plain lines elsewhere", () => {
    const written: string[] = [];
    const board = new ProgressBoard({ write: (text) => written.push(text) });
    const row = board.row("a");
    row.step("first", { seconds: 12, afterSeconds: 0 });
    row.line("done");
    row.stop();
    expect(written.join("")).toBe("a: first ..., about 12 s\na: done\n");
  });
});
