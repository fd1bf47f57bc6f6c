/**
 * Hosts that exist already, with real parts: engine, SSH with a jump host, a user without root, a read-only /usr, a NAT machine
 * that is observed. They are left as they were, also after a crash. Other distributions: tests/system/userlands.test.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ForeignHosts, foreignHosts, NAT_OUTSIDE } from "../../helpers/foreign-hosts.ts";
import { testLab, whenRuns } from "../../helpers/lab-hosts.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";

const lab = testLab(afterAll);
const keys = mkdtempSync(join(tmpdir(), "egress-bench-foreign-"));
afterAll(() => rmSync(keys, { recursive: true }));
let foreign: ForeignHosts;
let stack: LabStack;
let before: string[];
const cases = [
  shortCase("bounded", { bitrate: undefined }),
  { id: "connect", tool: "connect", durationSeconds: 1 },
];

beforeAll(async () => {
  foreign = await foreignHosts(lab, keys);
  const topology = {
    topology: "existing",
    name: "office",
    ...foreign.options,
    expectedSourceIps: [NAT_OUTSIDE],
  };
  stack = await openLabStack({
    cloud: "hosts",
    topologies: [topology],
    hosts: { maxBitsPerSecond: "30M" },
    plan: { cases },
  });
  before = foreign.snapshot();
});
afterAll(() => stack?.dispose());

describe("a client without root behind a jump host, a NAT machine, and a server", () => {
  test("are previewed without a price, as none is known", async () => {
    const { stdout } = await stack.stack.preview({ color: "never" });
    expect(stdout).toContain("office-client-visit");
    expect(stdout).not.toContain("null");
  });

  test("are measured within the bound, the path is proved, and what is missing without root is said", async () => {
    const { results } = await stack.up();
    expect(results.cloud).toBe("hosts");
    expect(results.cases.map(({ id, failure }) => [id, failure])).toEqual([
      ["bounded", null],
      ["connect", null],
    ]);
    expect(results.cases[0]!.command).toContain("-b 30000000");
    expect(results.cases[0]!.measurement!.bitsPerSecond).toBeLessThan(40e6);
    const sampled = results.cases[0]!.hosts.map(({ host }) => host);
    expect(sampled).toEqual(["office-client", "server", "office-nat"]);
    const [office] = results.topologies;
    expect(office!.path).toEqual({ status: "proved", sourceIps: [NAT_OUTSIDE], message: null });
    expect(office!.hosts[0]!.notes.join()).toContain("no root here");
    expect(results.server!.notes).toEqual([]);
    expect(results.notes.join()).toContain("no case sends more than 30.0 Mbit/s");
  });

  test("are left as they were", async () => {
    expect(foreign.snapshot()).not.toEqual(before);
    await stack.stack.destroy({ color: "never" });
    expect(foreign.snapshot()).toEqual(before);
  });

  test("are left as they were after a crash in the middle of a case", async () => {
    stack.configure({ runId: "2", plan: { cases: [shortCase("long", { durationSeconds: 600 })] } });
    const broken = stack.up().then(
      () => "came to its end",
      () => "broke",
    );
    await whenRuns(lab, "client", /^iperf3 -c/);
    for (const host of ["client", "nat", "server"] as const) {
      foreign.on(host, "pkill -9 -f egress-bench/agent.py || :");
    }
    expect(await broken).toBe("broke");
    await stack.stack.destroy({ color: "never" });
    expect(foreign.snapshot()).toEqual(before);
  });
});
