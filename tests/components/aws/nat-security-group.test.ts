/**
 * The security group of a NAT instance, single and in a pair: what EC2 tracks of it by AWS's documentation, and who reaches
 * SSH. Not shown: EC2 itself.
 */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { natInstance, place, userData } from "../../helpers/aws-standin/nat.ts";
import { deployMocked } from "./deploy.ts";

describe.each(["nat-instance", "nat-instance-ha"])("%s", (topology) => {
  interface Rule {
    protocol: string;
    fromPort: number;
    toPort: number;
    cidrBlocks?: string[];
  }

  it("has a group that tracks neither TCP nor UDP, and lets nobody but the operator and the clients to SSH", async () => {
    const stack = await deployMocked([{ topology }]);
    const { cidrBlock } = stack.inputs("Subnet", `client-network-${topology}-client`);
    const name = topology === "nat-instance" ? "nat-instance-nat-sg" : "nat-instance-ha-nat-1-sg";
    const { ingress, egress } = stack.inputs("SecurityGroup", name) as { ingress: Rule[]; egress: Rule[] };
    const everybody = ingress.filter(({ cidrBlocks }) => cidrBlocks?.includes("0.0.0.0/0"));
    expect(everybody.map(({ protocol, fromPort, toPort }) => `${protocol} ${fromPort}-${toPort}`)).toEqual([
      "tcp 0-21",
      "tcp 23-65535",
      "udp 0-65535",
      "icmp -1--1",
    ]);
    // A second rule for the same flow would leave open which one EC2 applies.
    const others = ingress.filter((rule) => !everybody.includes(rule));
    expect(others.map(({ protocol, fromPort, cidrBlocks }) => [protocol, fromPort, cidrBlocks])).toEqual([
      ["tcp", 22, ["203.0.113.7/32"]],
      ["tcp", 22, [cidrBlock]],
      ...["47", "50", "132"].map((protocol) => [protocol, 0, [cidrBlock]]),
    ]);
    expect(egress).toEqual([
      { description: "all", protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] },
    ]);
  });
});

it("keeps the group of a NAT instance stateful with iptables, which filters nothing, and refuses the other", async () => {
  const stack = await deployMocked([{ topology: "nat-instance", dataPlane: "iptables" }]);
  const { ingress } = stack.inputs("SecurityGroup", "nat-instance-nat-sg");
  expect(JSON.stringify(ingress)).not.toContain("0.0.0.0/0");
  await expect(
    deployMocked([{ topology: "nat-instance", dataPlane: "iptables", securityGroup: "untracked" }]),
  ).rejects.toThrow("untracked would forward for every host");
});

it("one that translates installs the translator, and takes in and lets out IPv6", async () => {
  const privateIpv6Cidrs = ["2001:db8:1:1::/64"];
  const stack = await natInstance({ nat: { privateIpv6Cidrs, nat64: true } });
  expect(userData(stack)).toMatch(/^ *packages="python3 nftables .*tayga"$/m);
  const { ingress, egress } = stack.inputs("SecurityGroup", "n-nat-sg");
  expect(ingress.at(-1)).toMatchObject({ cidrBlocks: place.privateCidrs, ipv6CidrBlocks: privateIpv6Cidrs });
  expect(egress).toMatchObject([{ cidrBlocks: ["0.0.0.0/0"], ipv6CidrBlocks: ["::/0"] }]);
  const plain = await natInstance();
  expect(plain.inputs("SecurityGroup", "n-nat-sg").egress[0]).not.toHaveProperty("ipv6CidrBlocks");
});

it.each([
  ["nat-instance-ha", "128.0.0.0/1"],
  ["nat-instance", "0.0.0.0/1"],
])("%s warns of an inbound port 22 for the whole internet", async (topology, half) => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const warned = async (port: number, cidr: string) => {
    await deployMocked([{ topology, inbound: [{ protocol: "tcp", port, cidrs: [cidr] }] }]);
    return warn.mock.calls.map(([line]) => line).filter((line) => line.includes("inbound"));
  };
  expect(await warned(22, "203.0.113.7/32")).toEqual([]);
  expect(await warned(9100, half)).toEqual([]);
  const line = `nat.inbound: ${half} opens SSH to the whole internet; name your own address`;
  expect(await warned(22, half)).toEqual([line]);
  warn.mockRestore();
});
