/** Rules of network security groups: only what is named here comes in. */
import { NetworkSecurityGroup } from "@pulumi/azure-native/network/networkSecurityGroup.js";
import type * as inputs from "@pulumi/azure-native/types/input.js";
import type * as pulumi from "@pulumi/pulumi";
import { AGENT_PORT, type PortRange, type PortRanges } from "../../bench/tools/ports.ts";
import type { TakenIn } from "../nat-instance/cloud-machine.ts";
import { ruleCidrs } from "../shared/host-login.ts";
import { type AzureArgs, child, placement } from "./common.ts";

/** One rule; its priority follows from its position. */
export type SecurityRule = Omit<inputs.network.SecurityRuleArgs, "priority"> & { readonly name: string };

type Sources = pulumi.Input<pulumi.Input<string>[]>;

const inbound = {
  direction: "Inbound",
  access: "Allow",
  sourcePortRange: "*",
  destinationAddressPrefix: "*",
} as const;

/** Rules for logins from the given CIDR blocks; none without blocks, which Azure would refuse. */
export function sshRules(allowedCidrs: Sources): SecurityRule[] {
  const sourceAddressPrefixes = ruleCidrs(allowedCidrs);
  return sourceAddressPrefixes === undefined ? [] : [rule("ssh", "Tcp", 22, { sourceAddressPrefixes })];
}

function rule(
  name: string,
  protocol: "Tcp" | "Udp",
  port: number,
  source: Partial<Omit<SecurityRule, "name">>,
): SecurityRule {
  return { ...inbound, name, protocol, destinationPortRange: `${port}`, ...source };
}

/** Sources that may reach ports: addresses, or a service tag where Azure announces none. */
export type TestSource =
  | { readonly name: string; readonly addresses: Sources }
  | { readonly name: string; readonly serviceTag: pulumi.Input<string> };

/** The agent's port alone, for a machine that is only sampled. */
export function agentRule(clientCidr: pulumi.Input<string>): SecurityRule {
  return rule("agent", "Tcp", AGENT_PORT, { sourceAddressPrefixes: [clientCidr] });
}

/** Ports, open to one source. */
export function portRules(source: TestSource, ranges: PortRanges): SecurityRule[] {
  const from =
    "addresses" in source
      ? { sourceAddressPrefixes: source.addresses }
      : { sourceAddressPrefix: source.serviceTag };
  return (["tcp", "udp"] as const).map((protocol) => ({
    ...inbound,
    ...from,
    name: `test-${source.name}-${protocol}`,
    protocol: protocol === "tcp" ? "Tcp" : "Udp",
    destinationPortRanges: ranges[protocol].map(range),
  }));
}

function range({ first, last }: PortRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Rules of a NAT machine: logins, packets of its clients to anywhere, in and out, and the ports that it opens. */
export function natRules({ logins, clients, ports }: TakenIn): SecurityRule[] {
  const any = { access: "Allow", protocol: "*", sourcePortRange: "*", destinationPortRange: "*" };
  return [
    ...(logins === undefined ? [] : sshRules(logins)),
    // Azure's own rule admits VirtualNetwork to VirtualNetwork only, and these packets go to the internet.
    { ...inbound, ...any, name: "forward-in", sourceAddressPrefixes: clients },
    {
      ...{ ...any, name: "forward-out", direction: "Outbound" },
      sourceAddressPrefix: "VirtualNetwork",
      destinationAddressPrefix: "Internet",
    },
    ...ports.flatMap(({ protocol, port, cidrs, to }, at) => {
      const name = `opened-${at + 1}-${protocol}-${port}`;
      const sourceAddressPrefixes = [...cidrs];
      const opened = rule(name, protocol === "tcp" ? "Tcp" : "Udp", port, { sourceAddressPrefixes });
      // The packet goes on with its own source, which Azure's outbound rules do not expect of a virtual network.
      const onward = to && {
        ...{ ...opened, name: `${name}-onward`, direction: "Outbound" },
        destinationAddressPrefix: to.host,
        destinationPortRange: `${to.port}`,
      };
      return onward === undefined ? [opened] : [opened, onward];
    }),
  ];
}

/** Traffic between the two machines of a pair, and the load balancer's probes. */
export function pairRules(pair: {
  readonly groupId: pulumi.Input<string>;
  readonly signsPort: number;
  readonly probePort: number;
}): SecurityRule[] {
  const others = { sourceApplicationSecurityGroups: [{ id: pair.groupId }] };
  return [
    rule("signs-of-life", "Udp", pair.signsPort, others),
    rule("load-balancer", "Tcp", pair.probePort, { sourceAddressPrefix: "AzureLoadBalancer" }),
  ];
}

/** Azure's lowest priority for custom rules. */
const LAST_PRIORITY = 4096;

/** Azure's own rules admit the whole virtual network and its peers. */
const denyAllElse: SecurityRule = {
  ...{ ...inbound, name: "deny-all-else", access: "Deny", protocol: "*" },
  sourceAddressPrefix: "*",
  destinationPortRange: "*",
};

/** A network security group that admits what the rules say and nothing else. */
export function securityGroup(
  name: string,
  args: AzureArgs,
  rules: readonly SecurityRule[],
  parent: pulumi.Resource,
): NetworkSecurityGroup {
  const prioritized = rules.map((rule, index) => ({ ...rule, priority: 100 + 10 * index }));
  return new NetworkSecurityGroup(
    name,
    { ...placement(args), securityRules: [...prioritized, { ...denyAllElse, priority: LAST_PRIORITY }] },
    child(parent),
  );
}
