/** The ruleset's text. That the kernel accepts and follows it is shown in tests/lab/nat-instance. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NatSetupArgs } from "../../../components/nat-instance/index.ts";
import { flowtableRules, NAT_TABLE, natRuleset } from "../../../components/nat-instance/ruleset.ts";
import { machineOfPair } from "./machine-of-pair.ts";

const privateCidrs = ["10.0.1.0/24", "10.0.2.0/24"];

function chain(ruleset: string, name: string): string[] {
  const [, body = ""] = new RegExp(`chain ${name} \\{\\n(.*?)\\n\\t\\}`, "s").exec(ruleset) ?? [];
  return body.split("\n").map((line) => line.trim());
}

test("touches one table, and replaces it", () => {
  const text = natRuleset({ privateCidrs }) + flowtableRules;
  const tables = [...text.matchAll(/table inet (\S+)/g)].map((match) => match[1]);
  expect(new Set(tables)).toEqual(new Set([NAT_TABLE]));
  expect(text.split("\n").slice(0, 3)).toEqual([
    `table inet ${NAT_TABLE}`,
    `delete table inet ${NAT_TABLE}`,
    `table inet ${NAT_TABLE} {`,
  ]);
  expect(text).not.toContain("flush ruleset");
});

test("forwards replies, and new flows only of the private blocks", () => {
  expect(chain(natRuleset({ privateCidrs }), "forward")).toEqual([
    "type filter hook forward priority filter; policy drop;",
    "ct state established,related accept",
    "ct state invalid drop",
    "ip daddr { 169.254.0.0/16, 168.63.129.16 } drop",
    "iifname $out_interface ip saddr @private_cidrs fib saddr . iif oif missing drop",
    "ip saddr @private_cidrs oifname $out_interface ct state new accept",
    "ether saddr $check_mac ip saddr 169.254.77.2 ct state new accept",
  ]);
});

test("forwards IPv6 of its blocks, and nothing to AWS's metadata over IPv6", () => {
  const rules = chain(natRuleset({ privateCidrs, privateIpv6Cidrs: ["fd00::/8"] }), "forward");
  const dropped = rules.indexOf("ip6 daddr fd00:ec2::/32 drop");
  expect(dropped).toBeGreaterThan(-1);
  expect(dropped).toBeLessThan(rules.findIndex((rule) => rule.startsWith("ip6 saddr")));
});

test("accepts signs of life and copies of connections only by the link to the other machine, from its address", () => {
  const { translatedTo, ...pair } = machineOfPair;
  const fromPeer = (highAvailability: NonNullable<NatSetupArgs["highAvailability"]>) =>
    chain(natRuleset({ privateCidrs, highAvailability }), "input").filter((rule) => /dport 378/.test(rule));
  expect(fromPeer({ ...pair, translatedTo })).toEqual([
    "iifname $pair_link ip saddr 10.0.0.6 udp dport 3781 accept",
    "iifname $pair_link ip saddr 10.0.0.6 udp dport 3780 accept",
  ]);
  expect(fromPeer(pair)).toEqual(["iifname $pair_link ip saddr 10.0.0.6 udp dport 3781 accept"]);
  // A tracked flow is accepted from any link.
  const rules = chain(natRuleset({ privateCidrs, highAvailability: pair }), "input");
  const spoofed = rules.indexOf("iifname != $pair_link ip saddr 10.0.0.6 drop");
  expect(spoofed).toBeGreaterThan(-1);
  expect(spoofed).toBeLessThan(rules.indexOf("ct state established,related accept"));
});

test("accepts nothing else from the other machine's address or the moving one, which its clients' connections use", () => {
  const rules = chain(
    natRuleset({ privateCidrs, highAvailability: machineOfPair, sshCidrs: ["0.0.0.0/0"] }),
    "input",
  );
  const dropped = rules.indexOf("ip saddr { 10.0.0.6, 10.0.0.9 } drop");
  expect(dropped).toBeGreaterThan(rules.findIndex((rule) => rule.includes("udp dport 3780")));
  expect(dropped).toBeLessThan(rules.findIndex((rule) => rule.includes("tcp dport 22")));
});

test("compares with a single block, and looks up several in a set", () => {
  const alone = natRuleset({ privateCidrs: ["10.0.1.0/24"] });
  expect(alone).not.toContain("set private_cidrs");
  expect(alone.match(/ip saddr 10\.0\.1\.0\/24 oifname \$out_interface/g)).toHaveLength(2);
  expect(natRuleset({ privateCidrs })).toContain("elements = { 10.0.1.0/24, 10.0.2.0/24 }");
});

test("offloads ahead of all other rules, established or not, but no short connections", () => {
  expect(flowtableRules).toContain(
    "insert rule inet egress_bench forward ct original packets > 10 flow add @ft",
  );
  expect(flowtableRules).not.toContain("ct state");
});

describe("translation", () => {
  const from = "ip saddr @private_cidrs oifname $out_interface";
  const flow = "jhash ip saddr . th sport . ip daddr . th dport";
  const sourceAddresses = ["10.0.0.4", "10.0.0.5"];
  const portRange = { first: 1024, last: 2047 };

  test.each<[string, Partial<NatSetupArgs>, string[]]>([
    ["the machine's own address", {}, ["snat ip to $out_address fully-random"]],
    [
      "the same within a port range, for protocols with ports",
      { portRange },
      [
        "meta l4proto { tcp, udp } snat ip to $out_address:1024-2047 fully-random",
        "snat ip to $out_address fully-random",
      ],
    ],
    [
      "ports preserved, within a port range and not",
      { portRange, portAllocation: "preserve" },
      ["meta l4proto { tcp, udp } snat ip to $out_address:1024-2047", "snat ip to $out_address"],
    ],
    [
      "ports preserved, one of several addresses per client",
      { sourceAddresses, portAllocation: "preserve" },
      ["snat ip to jhash ip saddr mod 2 map { 0 : 10.0.0.4, 1 : 10.0.0.5 }"],
    ],
    [
      "several addresses",
      { sourceAddresses },
      [
        `meta l4proto { tcp, udp } snat ip to ${flow} mod 2 map { 0 : 10.0.0.4, 1 : 10.0.0.5 } fully-random`,
        "snat ip to jhash ip saddr . ip daddr mod 2 map { 0 : 10.0.0.4, 1 : 10.0.0.5 }",
      ],
    ],
    [
      "several addresses within a port range",
      { sourceAddresses, portRange },
      [
        `meta l4proto { tcp, udp } snat ip addr . port to ${flow} mod 2 map { 0 : 10.0.0.4 . 1024-2047, 1 : 10.0.0.5 . 1024-2047 } fully-random`,
        "snat ip to jhash ip saddr . ip daddr mod 2 map { 0 : 10.0.0.4, 1 : 10.0.0.5 }",
      ],
    ],
  ])("%s", (_, args, expected) => {
    const [hook, check, ...rules] = chain(natRuleset({ privateCidrs, ...args }), "postrouting");
    expect(hook).toBe("type nat hook postrouting priority srcnat; policy accept;");
    expect(check).toBe("ip saddr 169.254.77.2 oifname $out_interface snat ip to $out_address");
    expect(rules).toEqual(expected.map((rule) => `${from} ${rule}`));
  });

  test("masquerades where the machine's own address is not known", () => {
    const args = { privateCidrs, portRange };
    expect(chain(natRuleset(args, false), "postrouting").slice(1)).toEqual([
      "ip saddr 169.254.77.2 oifname $out_interface masquerade",
      `${from} meta l4proto { tcp, udp } masquerade to :1024-2047 fully-random`,
      `${from} masquerade fully-random`,
    ]);
    expect(natRuleset(args, false)).not.toContain("$out_address");
  });

  test("gives every address one of the hash's values, whatever their number", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 64 }), (addresses) => {
        const rules = chain(natRuleset({ privateCidrs, sourceAddresses: addresses }), "postrouting").slice(2);
        for (const rule of rules) {
          const [, modulus, elements = ""] = /mod (\d+) map \{ (.*?) \}/.exec(rule) ?? [];
          expect(Number(modulus)).toBe(addresses.length);
          expect(elements.split(", ")).toEqual(addresses.map((address, n) => `${n} : ${address}`));
        }
        expect(rules).toHaveLength(2);
      }),
    );
  });
});

describe("logins, beside private hosts that have none", () => {
  const logins = (sshCidrs: string[]) =>
    chain(natRuleset({ privateCidrs, sshCidrs }), "input").filter((rule) => rule.includes("tcp dport 22"));
  const others = (cidrs: string[]) =>
    `iifname $out_interface ${cidrs[0] === "0.0.0.0/0" ? "" : `ip saddr { ${cidrs.join(", ")} } `}ip saddr != @private_cidrs tcp dport 22 accept`;

  test.each([
    ["everything", ["0.0.0.0/0"]],
    ["its halves", ["0.0.0.0/1", "128.0.0.0/1"]],
    ["its quarters, one of them missing", ["0.0.0.0/2", "64.0.0.0/2", "192.0.0.0/2"]],
  ])("%s is everybody but private hosts", (_, cidrs) => {
    expect(logins(cidrs)).toEqual([others(cidrs)]);
    expect(logins([...cidrs, "10.0.1.7/32"])).toEqual([
      "ip saddr { 10.0.1.7/32 } tcp dport 22 accept",
      others([...cidrs, "10.0.1.7/32"]),
    ]);
  });

  test("a smaller block admits its own hosts", () => {
    expect(logins(["10.0.0.0/8"])).toEqual(["ip saddr { 10.0.0.0/8 } tcp dport 22 accept"]);
  });
});

test("DHCP servers and IPv6 routers are heard only outside", () => {
  const rules = chain(natRuleset({ privateCidrs: ["10.0.1.0/24"] }), "input");
  const open = rules.filter((rule) => /sport|router/.test(rule));
  expect(open).toHaveLength(3);
  for (const rule of open) {
    expect(rule).toMatch(/^iifname \$out_interface /);
  }
});
