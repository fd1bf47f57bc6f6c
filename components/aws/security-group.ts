/**
 * Security groups: nothing comes in but what is named here. All rules stand in the group itself; separate rule
 * resources beside them would overwrite each other.
 *
 * @module
 */
import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup.js";
import type * as inputs from "@pulumi/aws/types/input.js";
import * as pulumi from "@pulumi/pulumi";
import { AGENT_PORT, type PortRanges, receiverPorts, testPorts } from "../../bench/tools/ports.ts";
import { invalid } from "../shared/arguments.ts";
import { sshSources } from "../shared/host-login.ts";
import { type AwsArgs, type Ids, tagsOf } from "./common.ts";

/** One rule for what comes in. */
export type IngressRule = inputs.ec2.SecurityGroupIngress;

/** CIDR blocks, each possibly an output. */
export type Cidrs = pulumi.Input<pulumi.Input<string>[]>;

/** Logins from the given CIDR blocks; no rule where there are none. */
export function sshRules(allowedCidrs: Cidrs): IngressRule[] {
  const cidrBlocks = sshSources(allowedCidrs);
  return cidrBlocks === undefined
    ? []
    : [{ description: "SSH", protocol: "tcp", fromPort: 22, toPort: 22, cidrBlocks }];
}

/** What a NAT machine needs: packets of its clients, of all protocols. */
export function forwardingRule(privateCidrs: Cidrs, privateIpv6Cidrs?: readonly string[]): IngressRule {
  const rule = {
    description: "to be forwarded",
    protocol: "-1",
    fromPort: 0,
    toPort: 0,
    cidrBlocks: privateCidrs,
  };
  return privateIpv6Cidrs === undefined ? rule : { ...rule, ipv6CidrBlocks: [...privateIpv6Cidrs] };
}

/** The test ports, open to the source addresses of paths. EC2 counts each rule once for each address in it. */
export function testPortRules(sources: Cidrs): IngressRule[] {
  return portRules(sources, testPorts);
}

/** Ports of a client that its server connects to: the agent's, and those of tools whose sender connects. */
export function receiverRules(server: Cidrs): IngressRule[] {
  return portRules(server, receiverPorts);
}

/** The agent's port alone, for a machine that is only sampled. */
export function agentRule(clients: Cidrs): IngressRule {
  return {
    description: "agent",
    protocol: "tcp",
    fromPort: AGENT_PORT,
    toPort: AGENT_PORT,
    cidrBlocks: clients,
  };
}

function portRules(sources: Cidrs, ranges: PortRanges): IngressRule[] {
  return (["tcp", "udp"] as const).flatMap((protocol) =>
    ranges[protocol].map(({ first, last }) => ({
      description: "test",
      protocol,
      fromPort: first,
      toPort: last,
      cidrBlocks: sources,
    })),
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

/** Ids of a machine's own group, with the rules given, and of the others it is in. */
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
