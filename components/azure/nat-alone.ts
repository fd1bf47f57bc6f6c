/**
 * A NAT instance of one machine.
 *
 * @module
 */

import type * as pulumi from "@pulumi/pulumi";
import { limits } from "../../bench/topologies/limits.ts";
import { natBoot, natSetUp, privateBlocks } from "../shared/nat-set-up.ts";
import { placement } from "./common.ts";
import { LinuxHost } from "./linux-host.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { publicIpsOf } from "./public-ip.ts";
import { forwardingRules, sshRules } from "./security-rules.ts";
import { natUserData } from "./user-data.ts";

const MAX_ADDRESSES = 64;

/** One machine or a pair, and what leads to it. */
export interface NatMachines {
  /** The machine; for a pair the first active one, then its standby. */
  readonly hosts: readonly [LinuxHost, ...LinuxHost[]];
  /** Public. */
  readonly addresses: pulumi.Output<string>[];
  /** A private address: the machine's, or that of the load balancer's frontend. */
  readonly nextHop: pulumi.Output<string>;
  readonly more: readonly pulumi.Resource[];
  /** TCP port. */
  readonly idleTimeoutSeconds: number | undefined;
}

/** Makes the machine and its public addresses. */
export function natAlone(
  name: string,
  args: NatInstanceArgs,
  size: pulumi.Input<string>,
  parent: pulumi.Resource,
): NatMachines {
  const privateCidrs = privateBlocks(args.privateCidrs);
  const ips = publicIpsOf(name, args, MAX_ADDRESSES, parent);
  const addresses = ips.map(({ id }) => ({ publicIpAddressId: id }));
  const known = ips.map(({ address }) => address);
  const {
    image,
    zone,
    proximityPlacementGroupId,
    diskEncryptionSetId,
    acceleratedNetworking,
    adminUser,
    ssh,
  } = args;
  const host = new LinuxHost(
    `${name}-nat`,
    {
      ...placement(args),
      image,
      zone,
      proximityPlacementGroupId,
      diskEncryptionSetId,
      acceleratedNetworking,
      adminUser,
      size,
      role: "nat",
      subnetId: args.subnetId,
      addresses: addresses as [(typeof addresses)[0]],
      forwarding: true,
      rules: [...(ssh === undefined ? [] : sshRules(ssh.allowedCidrs)), ...forwardingRules(privateCidrs)],
      sshKey: ssh?.key,
      loginAddress: known[0],
      userData: (facts) => {
        const setup = natSetUp(args.nat, privateCidrs, facts.privateAddresses, ips.length, ssh);
        return natUserData(facts, setup, natBoot(args.nat));
      },
    },
    // A pair that becomes one machine again keeps its first.
    { parent, aliases: [{ name: `${name}-nat-1` }] },
  );
  // The public address forgets before the machine does.
  const idleTimeoutSeconds = limits.azure["nat-instance"].idleSeconds;
  const nextHop = host.privateAddresses.apply(([primary]) => primary ?? "");
  return { hosts: [host], addresses: known, nextHop, more: [], idleTimeoutSeconds };
}
