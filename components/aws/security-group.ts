/**
 * Security groups: only what is named here comes in. All rules stand in the group itself; separate rule resources beside
 * them would overwrite each other.
 */
import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup.js";
import type * as inputs from "@pulumi/aws/types/input.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AGENT_PORT, type PortRanges } from "../../bench/tools/ports.ts";
import type { TakenIn } from "../nat-instance/cloud-machine.ts";
import { invalid } from "../shared/arguments.ts";
import { ruleCidrs } from "../shared/host-login.ts";
import { type AwsArgs, type Ids, tagsOf } from "./common.ts";

export type IngressRule = inputs.ec2.SecurityGroupIngress;

export type Cidrs = pulumi.Input<pulumi.Input<string>[]>;

const SSH_PORT = 22;
const FORWARDED = "to be forwarded";

function ingress(
  description: string,
  protocol: string,
  [fromPort, toPort]: readonly [number, number],
  cidrBlocks: Cidrs,
  ipv6?: readonly string[] | undefined,
): IngressRule {
  const rule = { description, protocol, fromPort, toPort, cidrBlocks };
  return ipv6 === undefined ? rule : { ...rule, ipv6CidrBlocks: [...ipv6] };
}

/** Rules for logins from the given CIDR blocks; none without blocks. */
export function sshRules(allowedCidrs: Cidrs): IngressRule[] {
  const cidrBlocks = ruleCidrs(allowedCidrs);
  return cidrBlocks === undefined ? [] : [ingress("SSH", "tcp", [SSH_PORT, SSH_PORT], cidrBlocks)];
}

export const natGroupSchema = z.enum(["untracked", "stateful"]).meta({
  description:
    "`untracked`: EC2 tracks no TCP and no UDP, and the machine's own firewall decides what gets in. `stateful`: EC2 admits " +
    "private hosts and logins alone and tracks each connection: see " +
    "[its security group](../nat-instance.md#its-security-group-on-aws).",
  fallback: "untracked; stateful with the data plane iptables, which filters nothing",
});

export type NatGroup = z.infer<typeof natGroupSchema>;

/** Rules of a NAT instance: what it takes in. With `untracked` the machine's own firewall is the filter. */
export function natRules(
  group: NatGroup,
  { clients, ipv6Clients, logins: allowedCidrs, ports }: TakenIn,
): IngressRule[] {
  const logins = allowedCidrs === undefined ? [] : sshRules(allowedCidrs);
  const opened = (own: TakenIn["ports"]) =>
    own.map(({ protocol, port, cidrs }) => ingress("opened", protocol, [port, port], [...cidrs]));
  return group === "stateful"
    ? [...logins, ...opened(ports), ingress(FORWARDED, "-1", [0, 0], clients, ipv6Clients)]
    : [
        ...logins,
        ...opened(ports.filter(({ protocol, port }) => protocol === "tcp" && port === SSH_PORT)),
        ...untrackedRules(ipv6Clients !== undefined),
        ...clientRules(clients, ipv6Clients),
      ];
}

/**
 * Rules for everything but SSH, from everywhere. EC2 does not track flows that rules of both directions allow from and to
 * everywhere. ICMP is always tracked, and errors of untracked flows count as related to nothing, so a rule admits them.
 * Source: docs.aws.amazon.com, "Amazon EC2 security group connection tracking", untracked connections.
 */
function untrackedRules(ipv6: boolean): IngressRule[] {
  const description = "filtered by the machine";
  const everywhere6 = ipv6 ? ["::/0"] : undefined;
  const rule = (protocol: string, first: number, last: number) =>
    ingress(description, protocol, [first, last], ["0.0.0.0/0"], everywhere6);
  return [
    rule("tcp", 0, SSH_PORT - 1),
    rule("tcp", SSH_PORT + 1, 65535),
    rule("udp", 0, 65535),
    ingress(description, "icmp", [-1, -1], ["0.0.0.0/0"]),
    ...(ipv6
      ? [{ description, protocol: "icmpv6", fromPort: -1, toPort: -1, ipv6CidrBlocks: ["::/0"] }]
      : []),
  ];
}

/** Protocols that the open rules leave out, so that none of their flows matches a second rule: SSH, GRE, ESP and SCTP. */
function clientRules(privateCidrs: Cidrs, privateIpv6Cidrs?: readonly string[]): IngressRule[] {
  const rule = (protocol: string, port: number) =>
    ingress(FORWARDED, protocol, [port, port], privateCidrs, privateIpv6Cidrs);
  return [rule("tcp", SSH_PORT), ...["47", "50", "132"].map((protocol) => rule(protocol, 0))];
}

/** The agent's port alone, for a machine that is only sampled. */
export function agentRule(clients: Cidrs): IngressRule {
  return ingress("agent", "tcp", [AGENT_PORT, AGENT_PORT], clients);
}

/** Ports, open to some addresses. EC2 counts each rule once for each address in it. */
export function portRules(sources: Cidrs, ranges: PortRanges): IngressRule[] {
  return (["tcp", "udp"] as const).flatMap((protocol) =>
    ranges[protocol].map(({ first, last }) => ingress("test", protocol, [first, last], sources)),
  );
}

/** A security group that admits what the rules say and nothing else; everything may go out. */
export function securityGroup(
  name: string,
  args: AwsArgs & { readonly vpcId: pulumi.Input<string> },
  rules: readonly IngressRule[],
  parent: pulumi.Resource,
): SecurityGroup {
  if (name.startsWith("sg-")) {
    throw invalid(
      "name",
      `"${name}" would name a security group, and EC2 keeps "sg-" for ids; choose another`,
    );
  }
  const everywhere = rules.some((rule) => rule.ipv6CidrBlocks !== undefined)
    ? { cidrBlocks: ["0.0.0.0/0"], ipv6CidrBlocks: ["::/0"] }
    : { cidrBlocks: ["0.0.0.0/0"] };
  return new SecurityGroup(
    name,
    {
      vpcId: args.vpcId,
      description: "egress-bench",
      ingress: [...rules],
      egress: [{ description: "all", protocol: "-1", fromPort: 0, toPort: 0, ...everywhere }],
      tags: tagsOf(name, args),
    },
    { parent },
  );
}

/** Ids of a machine's own group, with the given rules, and of its other groups. */
export function securityGroupsOf(
  name: string,
  args: AwsArgs & {
    readonly vpcId: pulumi.Input<string>;
    readonly rules: readonly IngressRule[];
    readonly securityGroupIds?: Ids | undefined;
  },
  parent: pulumi.Resource,
): pulumi.Input<pulumi.Input<string>[]> {
  const { id } = securityGroup(name, args, args.rules, parent);
  const others = args.securityGroupIds;
  return others === undefined
    ? [id]
    : pulumi.all([id, pulumi.output(others)]).apply(([own, further]) => [own, ...further]);
}
