/**
 * What the NAT instances have in common: public addresses, a forwarding machine, and routes to its interface.
 *
 * @module
 */
import { Eip } from "@pulumi/aws/ec2/eip.js";
import type { Route } from "@pulumi/aws/ec2/route.js";
import type * as pulumi from "@pulumi/pulumi";
import type { SshArgs } from "../shared/host-login.ts";
import { privateBlocks } from "../shared/nat-set-up.ts";
import { type PublicSubnetArgs, publicIpOf, tagsOf } from "./common.ts";
import { LinuxHost, type LinuxHostArgs, type MachineArgs } from "./linux-host.ts";
import { defaultRoutes, publicSubnetId } from "./routes.ts";
import { forwardingRule, sshRules } from "./security-group.ts";

export interface NatMachineArgs extends PublicSubnetArgs, Partial<MachineArgs> {
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the machine's interface. */
  readonly privateRouteTableIds: readonly pulumi.Input<string>[];
  /** CIDR blocks of the subnets whose hosts may go out through it. */
  readonly privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  readonly ssh: SshArgs;
}

/** A forwarding machine and what leads to it. */
export interface NatMachine {
  readonly host: LinuxHost;
  readonly routes: readonly Route[];
  /** Public, one a private address. */
  readonly addresses: pulumi.Output<string>[];
}

type Software = Pick<
  LinuxHostArgs,
  "instanceType" | "packages" | "script" | "findImage" | "autoHeal" | "adminUser"
>;

/** Makes a forwarding machine and its routes. @throws {pulumi.InputPropertyError} for what cannot be one */
export function natMachine(
  name: string,
  args: NatMachineArgs,
  publicIpCount: number,
  software: Software,
  parent: pulumi.Resource,
): NatMachine {
  const privateCidrs = privateBlocks(args.privateCidrs);
  const { tags, vpcId, image, internetReady } = args;
  const eips = Array.from({ length: publicIpCount }, (_, index) => {
    const eipName = `${name}-eip-${index + 1}`;
    return new Eip(eipName, { domain: "vpc", tags: tagsOf(eipName, args) }, { parent });
  });
  const host = new LinuxHost(
    `${name}-nat`,
    {
      tags,
      vpcId,
      image,
      internetReady,
      ...software,
      role: "nat",
      subnetId: publicSubnetId(args, parent),
      publicIps: eips.map(publicIpOf),
      forwarding: true,
      rules: [...sshRules(args.ssh.allowedCidrs), forwardingRule(privateCidrs)],
      sshKey: args.ssh.key,
    },
    { parent },
  );
  const target = { networkInterfaceId: host.interfaceId as pulumi.Output<string> };
  const routes = defaultRoutes(name, args.privateRouteTableIds, target, parent);
  return { host, routes, addresses: eips.map(({ publicIp }) => publicIp) };
}
