/**
 * The set-up that `npm run nat-script` prints, with each option that adds shell, and each shell file of the product, under
 * shellcheck from Debian's package: only a few intended kinds of warning. Opt-in, because it fetches the package: `npm test
 * -- --project languages`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloudWatchPublisher } from "../../components/aws/operators/cloudwatch.ts";
import { COMMON_ADDRESS, type NatSetupArgs, natSetup } from "../../components/nat-instance/index.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-shellcheck-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(() => {
  execFileSync("apt-get", ["download", "shellcheck"], { cwd: directory, stdio: "pipe" });
  const [packed = ""] = readdirSync(directory);
  execFileSync("dpkg", ["-x", packed, "."], { cwd: directory });
});

/** Intended: an empty assignment before the next one, words split on purpose, and a loop over a possibly single item. */
const INTENDED = "SC1007,SC2046,SC2043,SC2066";

function found(text: string, shell = "sh", excluded = INTENDED): string {
  const argv = ["--shell", shell, "--severity", "warning", "--exclude", excluded, "--format", "gcc", "-"];
  const { stdout, stderr } = spawnSync(join(directory, "usr/bin/shellcheck"), argv, {
    input: text,
    encoding: "utf8",
  });
  return stdout + stderr;
}

const highAvailability: NonNullable<NatSetupArgs["highAvailability"]> = {
  self: "10.0.0.11",
  peer: "10.0.0.12",
  translatedTo: COMMON_ADDRESS,
  outerAddress: "10.0.0.21",
  move: {
    kind: "ec2",
    networkInterfaceId: "eni-1",
    privateAddress: "10.0.0.21",
    allocationId: "eipalloc-1",
    routeTableIds: ["rtb-1"],
  },
  check: { address: "ec2.eu-north-1.amazonaws.com", port: 443 },
};

const kinds: Readonly<Record<string, Partial<NatSetupArgs>>> = {
  plain: {},
  strict: { strict: true, portRange: { first: 2000, last: 2999 }, sourceAddresses: ["10.0.0.5", "10.0.0.6"] },
  iptables: { dataPlane: "iptables" },
  NAT64: { privateIpv6Cidrs: ["fd00:1::/64"], nat64: true },
  "upgrades and figures": {
    upgradeWindow: { at: "Sun 03:30", reboot: true },
    publisher: cloudWatchPublisher("Mine/Nat", "nat"),
  },
  pair: { highAvailability },
};

test.each(Object.entries(kinds))("shellcheck has no objection to the set-up: %s", (_, args) => {
  expect(found(natSetup({ privateCidrs: ["10.0.1.0/24"], ...args }))).toBe("");
});

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Files with settings above them, or in the file that sources them. */
const files = execFileSync("git", ["ls-files", "components/*.sh", "setup/*.sh"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");

test.each(files)("shellcheck has no objection to %s", (file) => {
  const shell = file.startsWith("setup/") ? "bash" : "sh";
  expect(
    found(readFileSync(join(root, file), "utf8"), shell, `${INTENDED},SC2154,SC2034,SC2120,SC2010`),
  ).toBe("");
});

test("shellcheck objects to an unset variable, and to an unclosed quote", () => {
  expect(found('#!/bin/sh\necho "$nothing"\n')).toContain("SC2154");
  expect(found('#!/bin/sh\necho "\n')).toContain("error");
});
