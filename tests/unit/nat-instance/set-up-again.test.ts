/**
 * Options of a NAT instance that a machine keeps for life, and the program that changes the others. That a machine keeps
 * forwarding meanwhile is shown in tests/lab/nat-instance/setup-script.test.ts.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { lifelongOptions, type NatSetupArgs, setUpAgain } from "../../../components/nat-instance/index.ts";

const alone: NatSetupArgs = { privateCidrs: ["10.0.1.0/24"] };
const pair: NatSetupArgs = {
  ...alone,
  highAvailability: {
    self: "10.0.0.4",
    peer: "10.0.0.5",
    move: { kind: "probe", port: 3782 },
    check: { address: "192.0.2.1", port: 443 },
    key: "secret",
  },
};
const { highAvailability: ha } = pair as { highAvailability: NonNullable<NatSetupArgs["highAvailability"]> };

describe("a running machine accepts", () => {
  it.each<[string, NatSetupArgs, NatSetupArgs]>([
    ["other blocks", alone, { privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"] }],
    ["a range of ports", alone, { ...alone, portRange: { first: 2000, last: 3000 } }],
    [
      "ports of its own",
      alone,
      { ...alone, inbound: [{ protocol: "tcp", port: 9100, cidrs: ["10.9.0.0/16"] }] },
    ],
    ["IPv6 blocks", alone, { ...alone, privateIpv6Cidrs: ["2001:db8:1::/64"] }],
    ["logins", alone, { ...alone, sshCidrs: ["10.0.1.7/32"] }],
    ["a pair's new peer", pair, { ...pair, highAvailability: { ...ha, peer: "10.0.0.9" } }],
    [
      "a pair's check",
      pair,
      { ...pair, highAvailability: { ...ha, check: { address: "a.example", port: 1 } } },
    ],
    ["a pair's rhythm", pair, { ...pair, highAvailability: { ...ha, advertisementMs: 500 } }],
  ])("%s", (_, before, after) => {
    expect(lifelongOptions(after)).toBe(lifelongOptions(before));
  });
});

describe("a new machine is needed for", () => {
  it.each<[string, NatSetupArgs, NatSetupArgs]>([
    ["a data plane, whose packages differ", alone, { ...alone, dataPlane: "iptables" }],
    ["NAT64, a program", { ...alone, privateIpv6Cidrs: ["2001:db8::/64"] }, { ...alone, nat64: true }],
    ["metrics, whose timer would stay", { ...alone, metricsDirectory: "/var/lib/m" }, alone],
    ["a window of upgrades", alone, { ...alone, upgradeWindow: { at: "03:00" } }],
    ["its own address", pair, { ...pair, highAvailability: { ...ha, self: "10.0.0.8" } }],
    [
      "the peer of a pair that copies sessions",
      { ...pair, highAvailability: { ...ha, translatedTo: "10.0.0.6" } },
      { ...pair, highAvailability: { ...ha, translatedTo: "10.0.0.6", peer: "10.0.0.9" } },
    ],
  ])("%s", (_, before, after) => {
    expect(lifelongOptions(after)).not.toBe(lifelongOptions(before));
  });
});

it("the options that a machine keeps for life contain no secret", () => {
  expect(lifelongOptions(pair)).not.toContain("secret");
});

describe("the program", () => {
  const directory = mkdtempSync(join(tmpdir(), "set-up-again-"));
  const ran = join(directory, "ran");
  const last = join(directory, "set-up");
  // The machine's own place, here in a temporary directory.
  const program = setUpAgain.replace("/var/lib/egress-bench/set-up", last);
  const script = (line: string) => `#!/bin/sh\n# Why.\nset -eu\n  echo ${line} >> ${ran}\n`;
  const said = () => readFileSync(ran, "utf8");
  const call = (input: string, env: Record<string, string> = {}) => {
    const path = `${directory}/bin:${process.env.PATH}`;
    return execFileSync("sh", ["-c", program], {
      input,
      env: { ...process.env, ...env, PATH: path },
    }).toString();
  };

  beforeEach(() => {
    writeFileSync(ran, "");
    writeFileSync(last, script("first"), { mode: 0o700 });
    // A sudo of the test, which need not be root.
    mkdirSync(join(directory, "bin"), { recursive: true });
    writeFileSync(join(directory, "bin/sudo"), '#!/bin/sh\nshift\nexec "$@"\n');
    chmodSync(join(directory, "bin/sudo"), 0o755);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("does nothing if the machine has that set-up, except for comments and indentation", () => {
    expect(call("#!/bin/sh\nset -eu\necho first >> ".concat(ran, "\n"))).toBe("set up so already\n");
    expect(said()).toBe("");
  });

  it("runs another script once, and keeps it privately", () => {
    call(script("second"));
    expect(call(script("second"))).toBe("set up so already\n");
    expect(said()).toBe("second\n");
    expect(readFileSync(last, "utf8")).toBe(script("second"));
  });

  it("reads the compressed script from its environment, if there is no standard input", () => {
    call("", { SET_UP: gzipSync(script("third")).toString("base64") });
    expect(said()).toBe("third\n");
  });

  it("repeats a failed set-up", () => {
    const failing = `#!/bin/sh\necho tried >> ${ran}\nexit 3\n`;
    expect(() => call(failing)).toThrow();
    expect(() => call(failing)).toThrow();
    expect(said()).toBe("tried\ntried\n");
  });
});
