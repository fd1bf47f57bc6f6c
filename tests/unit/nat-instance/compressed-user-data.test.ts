/** Compressed user data: cloud-init's unpacked text, and the same bytes everywhere. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloudWatchPublisher } from "../../../components/aws/operators/cloudwatch.ts";
import { userData } from "../../../components/aws/user-data.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { gzipBase64 } from "../../../components/shared/gzip.ts";
import { anyText } from "../../helpers/any-text.ts";

const unpacked = (text: string) => gunzipSync(Buffer.from(gzipBase64(text), "base64")).toString();

test("gunzip restores the text", () => {
  fc.assert(fc.property(anyText({ maxLength: 3000 }), (text) => unpacked(text) === text));
});

test("a set-up script is less than half as long", () => {
  const script = natSetup({ privateCidrs: ["10.0.1.0/24"] });
  expect(Buffer.from(gzipBase64(script), "base64").length).toBeLessThan(script.length / 2);
});

test("contains no time, and another release of the compressor is noticed before machines are replaced", () => {
  const text = Array.from({ length: 2000 }, (_, at) => `line ${(at * at) % 251}`).join("\n");
  const bytes = Buffer.from(gzipBase64(text), "base64");
  expect([...bytes.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
  expect(createHash("sha256").update(bytes).digest("hex")).toMatchInlineSnapshot(
    `"38a05852e611a8660ec05575af6771757dbf38067d4dbc8b6a28d969a780d862"`,
  );
});

describe("user data above EC2's limit is refused by the argument that makes it long", () => {
  const hostKey = { privateKey: "private", publicKey: "public" };
  const lines = Array.from({ length: 400 }, (_, at) => createHash("sha512").update(`${at}`).digest("hex"));
  const refusal = (compressed: boolean, config: object) => {
    try {
      userData(compressed, { hostKey, packages: [], ...config });
    } catch (error) {
      return (error as { reason?: string }).reason;
    }
    return null;
  };

  test.each([
    ["extraScript", true, / bytes, compressed, and EC2 takes 16384; let a short script fetch the rest/],
    ["extraScript", false, / bytes and EC2 takes 16384; let a short script fetch the rest/],
  ])("%s, compressed: %s", (extraScript, compressed, said) => {
    expect(refusal(compressed, { [extraScript]: lines.join("\n") })).toMatch(/^extraScript: the user data/);
    expect(refusal(compressed, { [extraScript]: lines.join("\n") })).toMatch(said);
    expect(refusal(compressed, { [extraScript]: lines.slice(0, 50).join("\n") })).toBeNull();
  });

  test("the set-up itself", () => {
    expect(refusal(true, { script: lines.join("\n") })).toMatch(
      /^nat: .* and EC2 takes 16384; leave out cloudWatch, nat64, metricsDirectory or upgradeWindow, or name fewer/,
    );
  });

  test("the set-up itself, by the options that make it long, the longest first", () => {
    const bytes = (options: object) =>
      Buffer.from(gzipBase64(natSetup({ privateCidrs: ["10.0.1.0/24"], ...options })), "base64").length;
    const ipv6 = { dataPlane: "nftables", privateIpv6Cidrs: ["fd00::/64"] };
    const added = {
      cloudWatch: bytes({ publisher: cloudWatchPublisher("EgressBench/NatInstance", "nat") }) - bytes({}),
      nat64: bytes({ ...ipv6, nat64: true }) - bytes({ dataPlane: "nftables" }),
      metricsDirectory: bytes({ metricsDirectory: "/var/lib/metrics" }) - bytes({}),
      upgradeWindow: bytes({ upgradeWindow: { at: "03:00" } }) - bytes({}),
      privateIpv6Cidrs: bytes(ipv6) - bytes({ dataPlane: "nftables" }),
      packageProxy: bytes({ packageProxy: "http://10.0.0.9:3128" }) - bytes({}),
      portAllocation: bytes({ portAllocation: "preserve" }) - bytes({}),
      inbound: bytes({ inbound: [{ protocol: "tcp", port: 22, cidrs: ["203.0.113.0/24"] }] }) - bytes({}),
    };
    const most = Object.entries(added).filter(([, size]) => size > 200);
    expect(most.toSorted(([, one], [, other]) => other - one).map(([name]) => name)).toEqual([
      "cloudWatch",
      "nat64",
      "metricsDirectory",
      "upgradeWindow",
    ]);
  });

  test("text that is short once compressed is accepted", () => {
    const script = "echo again\n".repeat(2000);
    expect(refusal(false, { extraScript: script })).toMatch(/^extraScript: /);
    expect(refusal(true, { extraScript: script })).toBeNull();
  });
});
