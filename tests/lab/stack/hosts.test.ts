/**
 * Existing hosts with real parts: engine, SSH with a jump host, a user without root, a read-only /usr, an observed NAT
 * machine. They are left as they were, even after a crash. Other distributions: tests/system/userlands.test.ts.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { NAT_OUTSIDE } from "../../helpers/foreign-hosts.ts";
import { foreignStack } from "../../helpers/foreign-stack.ts";
import { whenRuns } from "../../helpers/lab-hosts.ts";
import { shortCase } from "../../helpers/lab-stack.ts";

const cases = [
  shortCase("bounded", { bitrate: undefined }),
  { id: "connect", tool: "connect", durationSeconds: 1 },
];
const existing = foreignStack(
  { expectedSourceIps: [NAT_OUTSIDE] },
  { hosts: { maxBitsPerSecond: "30M" }, plan: { cases } },
);
let before: string[];
beforeAll(() => {
  before = existing.foreign.snapshot();
});

describe("a client without root behind a jump host, a NAT machine, and a server", () => {
  test("are previewed without a price, since none is known", async () => {
    const { stdout } = await existing.stack.stack.preview({ color: "never" });
    expect(stdout).toContain("office-client-visit");
    expect(stdout).not.toContain("null");
  });

  test("are measured within the bound, with the path proved and limits without root reported", async () => {
    const { results } = await existing.stack.up();
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
    expect(existing.foreign.snapshot()).not.toEqual(before);
    await existing.stack.stack.destroy({ color: "never" });
    expect(existing.foreign.snapshot()).toEqual(before);
  });

  test("are left as they were after a crash during a case", async () => {
    existing.stack.configure({ runId: "2", plan: { cases: [shortCase("long", { durationSeconds: 600 })] } });
    const broken = existing.stack.up().then(
      () => "came to its end",
      () => "broke",
    );
    await whenRuns(existing.lab, "client", /^iperf3 -c/);
    for (const host of ["client", "nat", "server"] as const) {
      existing.foreign.on(host, "pkill -9 -f egress-bench/agent.py || :");
    }
    expect(await broken).toBe("broke");
    await existing.stack.stack.destroy({ color: "never" });
    expect(existing.foreign.snapshot()).toEqual(before);
  });
});

/** The error of a failing `up`. */
const refusal = () =>
  existing.stack.up().then(
    () => "nothing",
    (error: Error) => error.message,
  );
const leave = async () => {
  await existing.stack.stack.destroy({ color: "never" });
  expect(existing.foreign.snapshot()).toEqual(before);
};

/** Texts in quotes end with their line, as in csh. */
const oneLineShell = `#!/bin/sh
case $2 in *"
"*) echo "Unmatched '''." >&2; exit 1 ;; esac
exec /bin/sh -c "$2"
`;

/** Accounts that a benchmark cannot use, or that need care. Each error names the host and the remedy. */
describe("a client's account", () => {
  beforeAll(() => {
    existing.stack.configure({ runId: "3", plan: { cases } });
  });

  test("with a shell that prints at its start is refused with its output, and left as it was", async () => {
    existing.foreign.on("client", "sed -i '1i echo Welcome to the office' /home/bench/.bashrc");
    before = existing.foreign.snapshot();
    expect(await refusal()).toMatch(
      /bench@198\.18\.200\.2:22: expected nothing from its shell .*; got "Welcome to the office" .*~\/\.bashrc, print only where \[ -t 1 \]/,
    );
    await leave();
    existing.foreign.on("client", "sed -i 1d /home/bench/.bashrc");
    before = existing.foreign.snapshot();
  });

  test("with a csh-like login shell is refused by that shell's name", async () => {
    existing.foreign.on(
      "client",
      `cat >/opt/tcsh <<'EOF'\n${oneLineShell}EOF\nchmod 755 /opt/tcsh; usermod --shell /opt/tcsh bench`,
    );
    before = existing.foreign.snapshot();
    expect(await refusal()).toMatch(/the login shell of user bench is \/opt\/tcsh, .*chsh -s \/bin\/sh/);
    await leave();
    existing.foreign.on("client", "usermod --shell /bin/bash bench; rm /opt/tcsh");
    before = existing.foreign.snapshot();
  });
});
