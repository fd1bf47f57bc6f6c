/**
 * Links between lab hosts on the real kernel.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { type LinkSpec, makeLink } from "../../../components/local/lab/links.ts";
import type { LinkShape } from "../../../components/local/lab/shaping.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

function cable(lab: string, shape: LinkShape = {}): LinkSpec {
  return {
    lab,
    shape,
    ends: [
      { host: "a", interface: "eth0", address: "198.18.9.1/24" },
      {
        host: "b",
        interface: "eth0",
        address: "198.18.9.2/24",
        routes: [{ to: "default", via: "198.18.9.1" }],
      },
    ],
  };
}

describe("a link", () => {
  test("carries traffic, and is never seen in the machine's own network", async () => {
    const lab = testLab();
    await startHosts(lab, "a", "b");
    const before = Object.keys(networkInterfaces());
    makeLink(cable(lab));
    makeLink(cable(lab));
    runInHost(lab, "a", "setsid socat -U TCP-LISTEN:7,fork EXEC:'echo hello' </dev/null >/dev/null 2>&1 &");
    await expect
      .poll(() => runInHost(lab, "b", "socat -u TCP:198.18.9.1:7 - </dev/null 2>&1 || :"))
      .toBe("hello\n");
    expect(Object.keys(networkInterfaces())).toEqual(before);
  });

  test("has its given rate at both ends", async () => {
    const lab = testLab();
    await startHosts(lab, "a", "b");
    makeLink(cable(lab, { bitsPerSecond: 200_000_000 }));
    for (const host of ["a", "b"]) {
      expect(runInHost(lab, host, "tc qdisc show dev eth0")).toMatch(/tbf .* rate 200Mbit/);
    }
  });

  test("joins a bridge where it has no address", async () => {
    const lab = testLab();
    await startHosts(lab, "a", "b");
    runInHost(lab, "b", "ip link add br0 type bridge; ip link set br0 up");
    const [a] = cable(lab).ends;
    makeLink({ lab, shape: {}, ends: [a, { host: "b", interface: "port1", bridge: "br0" }] });
    expect(runInHost(lab, "b", "ip -brief link show master br0")).toContain("port1");
  });

  test("with a delay asks the kernel for netem at both ends, or reports a kernel without it", async () => {
    const lab = testLab();
    await startHosts(lab, "a", "b");
    const end = "qdisc add dev eth0 root netem delay 5ms limit 100000";
    // The first is a try, before the earlier link goes.
    const asked = makeWithTc('echo "$*"', cable(lab, { delayMs: 5 }));
    expect(asked.stdout).toBe([end.replace("eth0", "lo"), end, end, ""].join("\n"));
    const refused = "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2";
    expect(makeWithTc(refused, cable(lab, { delayMs: 5 })).stderr).toMatch(/Error: .*no netem .*delayMs/);
  });

  test("stays as it was when the kernel refuses its new shape", async () => {
    const lab = testLab();
    await startHosts(lab, "a", "b");
    makeLink(cable(lab, { bitsPerSecond: 200_000_000 }));
    const shown = () => ["a", "b"].map((host) => runInHost(lab, host, "ip -o link; ip route; tc qdisc"));
    const before = shown();
    // The kernel counts bytes: less than eight bits a second is no rate.
    expect(() => makeLink(cable(lab, { bitsPerSecond: 1 }))).toThrow(/tc .*rate/);
    expect(shown()).toEqual(before);
  });

  test("to a missing host names the host", async () => {
    const lab = testLab();
    await startHosts(lab, "a");
    expect(() => makeLink(cable(lab))).toThrow(/Host "b" of lab/);
  });
});

/**
 * Makes a link in a process whose `tc` is a stand-in: not every kernel has netem, and none both has it and lacks it. `stdout` is
 * what the stand-in says.
 */
function makeWithTc(script: string, link: LinkSpec) {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-tc-"));
  try {
    const [tc, asked] = [join(directory, "tc"), join(directory, "asked")];
    writeFileSync(tc, `#!/bin/sh\n{ ${script}; } >> ${asked}\n`, { mode: 0o755 });
    writeFileSync(asked, "");
    const links = new URL("../../../components/local/lab/links.ts", import.meta.url);
    const program = `import { makeLink } from "${links}"; makeLink(${JSON.stringify(link)});`;
    const run = 'mount --bind "$0" "$(command -v tc)" && exec "$@"';
    const node = [process.execPath, "--input-type=module", "-e", program];
    const { stderr } = spawnSync("unshare", ["--mount", "sh", "-c", run, tc, ...node], { encoding: "utf8" });
    return { stdout: readFileSync(asked, "utf8"), stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
