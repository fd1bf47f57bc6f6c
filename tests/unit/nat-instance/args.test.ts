/**
 * Refusals of NAT instance arguments.
 */
import { describe, expect, test } from "vitest";
import { type NatSetupArgs, natOptionsSchema, natSetup } from "../../../components/nat-instance/index.ts";

const good: NatSetupArgs = { privateCidrs: ["10.0.1.0/24"] };

const forward = (port: number, to = "10.0.1.5:8080") => ({ port, to, from: ["198.51.100.0/24"] });

const eachOf = (key: string, message: string, values: readonly string[]) =>
  values.map((value): [object, string] => [{ [key]: [value] }, message]);

describe("natSetup", () => {
  test.each<[object, string]>([
    [{ privateCidrs: [] }, "privateCidrs: must name at least one CIDR block"],
    [
      { privateCidrs: ["10.0.1.5/24"] },
      'privateCidrs[0]: "10.0.1.5/24" has host bits set; write 10.0.1.0/24',
    ],
    [{ privateCidrs: ["10.0.1.0/24", "x"] }, 'privateCidrs[1]: "x" is not an IPv4 CIDR block'],
    [{ privateCidrs: ["fd00::/8"] }, "privateCidrs[0]: "],
    [{ privateCidrs: ["10.0.0.0/08"] }, 'privateCidrs[0]: "10.0.0.0/08" is not an IPv4 CIDR block'],
    ...eachOf("privateCidrs", "privateCidrs[0]: has addresses that no host sends from", [
      "127.0.0.0/8",
      "169.254.0.0/16",
      "169.254.169.254/32",
      "224.0.0.0/4",
    ]),
    ...eachOf("sourceAddresses", "sourceAddresses[0]: is not an address that a machine", [
      "0.0.0.0",
      "255.255.255.255",
      "169.254.169.254",
      "127.0.0.1",
    ]),
    [
      { inbound: [{ protocol: "tcp", port: 22, cidrs: ["1.2.3.4/0"] }] },
      'inbound[0].cidrs[0]: has host bits set; write the first address of the block, such as 203.0.113.0/24; got "1.2.3.4/0"',
    ],
    [{ forward: [forward(22)] }, "forward[0].port: is the machine's own; forward another; got 22"],
    [
      { forward: [forward(9100)], inbound: [{ protocol: "tcp", port: 9100, cidrs: ["10.9.0.0/24"] }] },
      "forward[0].port: is the machine's own; forward another; got 9100",
    ],
    [{ forward: [forward(80), forward(80)] }, "forward[1].port: is forwarded twice; got 80"],
    [{ forward: [forward(80, "10.0.9.5")] }, "forward[0].to: must be a host of privateCidrs"],
    [{ forward: [forward(80, "10.0.1.5:70000")] }, "forward[0].to: must be a private host's address"],
    [{ forward: [forward(80, "10.0.1.5:80; reboot")] }, "forward[0].to: must be a private host's address"],
    [{ forward: [forward(80)], dataPlane: "iptables" }, "forward: needs dataPlane nftables or flowtable"],
    [{ metricsDirectory: "/../../etc" }, "metricsDirectory: must be a path without .."],
    [{ privateCidrs: ["0.0.0.0/0"] }, "privateCidrs: would make an open NAT"],
    [{ privateCidrs: ["0.0.0.0/1", "128.0.0.0/1"] }, "privateCidrs: would make an open NAT"],
    [
      { outInterface: "eth0; reboot" },
      'outInterface: must be the name of a network interface, such as eth0; got "eth0; reboot"',
    ],
    [{ outInterface: "an-interface-name" }, "outInterface: must be the name of a network interface"],
    [{ sourceAddresses: [] }, "sourceAddresses: must name an address"],
    [{ sourceAddresses: ["10.0.1.0/24"] }, "sourceAddresses[0]: must be IPv4 addresses, such as 10.0.1.5"],
    [{ sourceAddresses: ["10.0.1.5", "10.0.1.5"] }, "sourceAddresses: names an address twice"],
    [
      { portRange: { first: 2000, last: 1000 } },
      'portRange: must have first <= last; got {"first":2000,"last":1000}',
    ],
    [{ portRange: { first: 0, last: 1000 } }, "portRange.first: "],
    [{ portRange: { first: 1, last: 65536 } }, "portRange.last: "],
    [{ portRange: { first: 1.5, last: 3 } }, "portRange.first: "],
    [{ metricsDirectory: "node-exporter" }, "metricsDirectory: must be an absolute path"],
    [{ metricsDirectory: "/tmp/$(reboot)" }, "metricsDirectory: must be an absolute path"],
    [{ privateIpv6Cidrs: [] }, "privateIpv6Cidrs: must name a block"],
    [{ privateIpv6Cidrs: ["10.0.1.0/24"] }, "privateIpv6Cidrs[0]: must be IPv6 blocks"],
    [{ privateIpv6Cidrs: ["::/0"] }, "privateIpv6Cidrs: would forward for the whole internet"],
    [
      { privateIpv6Cidrs: ["2000::/4", "3000::/4"] },
      "privateIpv6Cidrs: would forward for the whole internet",
    ],
    [
      { privateIpv6Cidrs: ["2001:db8::/64"], dataPlane: "iptables" },
      "privateIpv6Cidrs: needs dataPlane nftables or flowtable",
    ],
    [{ nat64: true }, "nat64: needs privateIpv6Cidrs"],
    [
      { nat64: true, privateIpv6Cidrs: ["2001:db8::/64"], privateCidrs: ["100.64.0.0/10"] },
      "privateCidrs: overlaps with 100.127.0.0/16, which nat64 uses",
    ],
    ...eachOf("privateIpv6Cidrs", "privateIpv6Cidrs[0]: has addresses that no host sends from", [
      "fe80::/10",
      "ff00::/8",
      "::1/128",
      "::ffff:10.0.1.0/120",
      "64:ff9b::/96",
      "f800::/5",
    ]),
    [{ nat64: "yes", privateIpv6Cidrs: ["2001:db8::/64"] }, "nat64: "],
    [{ upgradeWindow: { at: "24:00" } }, "upgradeWindow.at: must be a time of day, such as 03:30"],
    [{ upgradeWindow: { at: "sunday 3:00" } }, "upgradeWindow.at: must be a time of day"],
    [{ upgradeWindow: { at: "03:00\nUnit=x" } }, "upgradeWindow.at: must be a time of day"],
    [
      { upgradeWindow: { at: "03:00", minutes: 5 } },
      "upgradeWindow.minutes: is not an argument of a NAT instance; remove it: upgradeWindow has at",
    ],
    [{ dataPlane: "xdp" }, 'dataPlane: expected one of iptables, nftables, flowtable; got "xdp"'],
    [{ strict: "yes" }, "strict: "],
    [
      { dataPlane: "iptables", portRange: { first: 1024, last: 2047 } },
      "portRange: needs dataPlane nftables or flowtable; iptables is one plain masquerade, like fck-nat",
    ],
    [{ dataPlane: "iptables", sourceAddresses: ["10.0.1.5"] }, "sourceAddresses: needs dataPlane nftables"],
    [{ ports: 3 }, "ports: is not an argument of a NAT instance"],
  ])("refuses %j", (wrong, message) => {
    expect(() => natSetup({ ...good, ...wrong } as NatSetupArgs)).toThrow(message);
  });

  test("names all problems at once", () => {
    const wrong = { privateCidrs: ["x"], outInterface: "" };
    expect(() => natSetup(wrong)).toThrow(/outInterface: .*\nprivateCidrs\[0\]: /);
  });
});

test("a stack's file may hold all options but the private blocks, which the topology sets", () => {
  expect(natOptionsSchema.safeParse({ portRange: { first: 1024, last: 2047 } }).success).toBe(true);
  expect(natOptionsSchema.safeParse({}).success).toBe(true);
  expect(natOptionsSchema.safeParse({ privateCidrs: ["10.0.1.0/24"] }).success).toBe(false);
});
