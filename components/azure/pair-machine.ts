/**
 * One machine of a pair: where it is, what it may receive, and how it takes the load balancer's clients over.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { HA_PACKAGES, natSetup, SIGNS_PORT } from "../nat-instance/index.ts";
import { loginBlocks, natBoot, natOptionsOf, privateBlocks } from "../shared/nat-set-up.ts";
import { PROBE_PORT } from "./active-balancer.ts";
import { placement } from "./common.ts";
import { LinuxHost } from "./linux-host.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import type { publicIpsOf } from "./public-ip.ts";
import { forwardingRules, pairRules, sshRules } from "./security-rules.ts";
import { natUserData } from "./user-data.ts";

const DEFAULT_CHECK = { address: "management.azure.com", port: 443 };

/** The parts that both machines of a pair share. */
export interface PairPlace {
  readonly zones: readonly string[];
  readonly ips: ReturnType<typeof publicIpsOf>;
  readonly poolId: pulumi.Output<string>;
  readonly groupId: pulumi.Output<string>;
  readonly availabilitySetId: pulumi.Output<string> | undefined;
}

/** A machine's number in the pair, both addresses, and the resources to boot and to change its interface after. */
export interface PairRole {
  readonly at: 0 | 1;
  readonly known: pulumi.Output<readonly string[]>;
  readonly key: pulumi.Output<string>;
  readonly after: readonly pulumi.Resource[];
  readonly interfaceAfter: readonly pulumi.Resource[];
}

/** One of the two, and what it runs. */
export function pairMachine(
  name: string,
  args: NatInstanceArgs & { readonly size: pulumi.Input<string> },
  { zones, ips, poolId, groupId, availabilitySetId }: PairPlace,
  { at, known, key, after, interfaceAfter }: PairRole,
  parent: pulumi.Resource,
): LinuxHost {
  const { image, acceleratedNetworking, proximityPlacementGroupId, adminUser, ssh, size } = args;
  const { highAvailability } = args;
  return new LinuxHost(
    `${name}-nat-${at + 1}`,
    {
      ...placement(args),
      ...{ image, acceleratedNetworking, proximityPlacementGroupId, adminUser, size, availabilitySetId },
      zone: zones[at],
      diskEncryptionSetId: args.diskEncryptionSetId,
      role: "nat",
      subnetId: args.subnetId,
      addresses: [
        {
          privateAddress: highAvailability?.privateAddresses?.[at],
          publicIpAddressId: ips[at]?.id,
          backendPoolId: poolId,
          applicationSecurityGroupId: groupId,
        },
      ],
      forwarding: true,
      rules: [
        ...(ssh === undefined ? [] : sshRules(ssh.allowedCidrs)),
        ...pairRules({ groupId: groupId, signsPort: SIGNS_PORT, probePort: PROBE_PORT }),
        ...forwardingRules(privateBlocks(args.privateCidrs)),
      ],
      sshKey: ssh?.key,
      loginAddress: ips[at]?.address,
      userData: (facts) => natUserData(facts, setUp(args, { at, known, key }), pairBoot(args)),
      bootAfter: after,
      interfaceAfter,
    },
    // The one machine that a pair is made of becomes its first: its interface holds the address that this one takes.
    { parent, ...(at === 0 ? { aliases: [{ name: `${name}-nat` }] } : {}) },
  );
}

/** Not early, before the packages are there: it needs those of a pair. */
function pairBoot({ nat }: NatInstanceArgs): ReturnType<typeof natBoot> {
  const { packages, kernelModule, packageSources } = natBoot(nat);
  const more = HA_PACKAGES.filter((one) => one !== "conntrackd");
  return { packages: [...new Set([...packages, ...more])], kernelModule, packageSources };
}

function setUp(
  { nat, privateCidrs: blocks, ssh, highAvailability = {} }: NatInstanceArgs,
  { at, known, key }: Pick<PairRole, "at" | "known" | "key">,
): pulumi.Output<string> {
  return pulumi
    .all([known, pulumi.output(privateBlocks(blocks)), loginBlocks(ssh, blocks), key])
    .apply(([addresses, privateCidrs, sshCidrs, secret]) =>
      natSetup({
        ...natOptionsOf(nat, at),
        privateCidrs,
        sshCidrs,
        highAvailability: {
          self: addresses[at] as string,
          peer: addresses[1 - at] as string,
          move: { kind: "probe", port: PROBE_PORT },
          inbound: [{ protocol: "tcp", port: PROBE_PORT, cidrs: [LOAD_BALANCER] }],
          check: highAvailability.check ?? DEFAULT_CHECK,
          advertisementMs: highAvailability.advertisementMs,
          key: secret,
        },
      }),
    );
}

/** The address that all of Azure's load balancers probe from. Source: learn.microsoft.com, "What is IP address 168.63.129.16?" */
const LOAD_BALANCER = "168.63.129.16/32";
