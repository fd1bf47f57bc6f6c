/** One machine of a pair: its place, its allowed traffic, and its set-up behind the load balancer. */
import * as pulumi from "@pulumi/pulumi";
import { HA_PACKAGES, type NatSetupArgs, SIGNS_PORT } from "../nat-instance/index.ts";
import { loginBlocks, natBoot, natOptionsOf, privateBlocks } from "../shared/nat-set-up.ts";
import { waitForPair } from "../shared/pair-ready.ts";
import { PROBE_PORT } from "./active-balancer.ts";
import { formerly, machineSettings, placement } from "./common.ts";
import { LinuxHost } from "./linux-host.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { natBirth, natSetUpAgain } from "./nat-set-up.ts";
import type { publicIpsOf } from "./public-ip.ts";
import { forwardingRules, pairRules, sshRules } from "./security-rules.ts";

const DEFAULT_CHECK = { address: "management.azure.com", port: 443 };

/** Settings that both machines of a pair share. */
export interface PairPlace {
  readonly zones: readonly string[];
  readonly ips: ReturnType<typeof publicIpsOf>;
  readonly poolId: pulumi.Output<string>;
  readonly groupId: pulumi.Output<string>;
  readonly availabilitySetId: pulumi.Output<string> | undefined;
}

/** A machine's number in the pair, and the resources that it waits for. */
export interface PairRole {
  readonly at: 0 | 1;
  readonly key: pulumi.Output<string>;
  /** Address of the other machine. @default unknown at boot: this machine carries alone and learns the address later */
  readonly peer: pulumi.Input<string> | undefined;
  readonly after: readonly pulumi.Resource[];
}

/** An address for documentation, which no machine has. Source: RFC 5737 */
const NOBODY = "192.0.2.1";

/** One machine of the pair, and its set-up. */
export function pairMachine(
  name: string,
  args: NatInstanceArgs & { readonly size: pulumi.Input<string> },
  { zones, ips, poolId, groupId, availabilitySetId }: PairPlace,
  { at, key, peer = NOBODY, after }: PairRole,
  parent: pulumi.Resource,
): LinuxHost {
  const { ssh, size, highAvailability } = args;
  return new LinuxHost(
    `${name}-nat-${at + 1}`,
    {
      ...placement(args),
      ...machineSettings(args),
      zone: zones[at],
      availabilitySetId,
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
      ...natBirth(
        ({ privateAddresses }) => setUp(args, { at, key, peer, self: primaryOf(privateAddresses) }),
        pairBoot(args),
      ),
      further: { script: waitForPair, triggers: [size] },
      bootAfter: after,
      interfaceAfter: after,
    },
    // A single machine becomes the pair's first: its interface holds the address that this one takes.
    { parent, ...(at === 0 ? formerly(`${name}-nat-1`, `${name}-nat`) : {}) },
  );
}

/** Not early: the set-up needs a pair's packages. */
function pairBoot({ nat }: NatInstanceArgs): ReturnType<typeof natBoot> {
  const { packages, kernelModule, packageSources } = natBoot(nat);
  const more = HA_PACKAGES.filter((one) => one !== "conntrackd");
  return { packages: [...new Set([...packages, ...more])], kernelModule, packageSources };
}

/** Waits 6 s, because a status from before the restart counts for 5 s. */
const settled = `sleep 6\n${waitForPair}`;

/** Tells both machines each other's address, one after the other, whenever their set-up changes. */
export function introduce(
  hosts: readonly [LinuxHost, LinuxHost],
  args: NatInstanceArgs,
  key: pulumi.Output<string>,
): pulumi.Resource[] {
  const [one, other] = hosts.map(({ privateAddresses }) => primaryOf(privateAddresses)) as [
    pulumi.Output<string>,
    pulumi.Output<string>,
  ];
  const [first, second] = hosts;
  const firstSetUp = setUp(args, { at: 0, key, self: one, peer: other });
  const secondSetUp = setUp(args, { at: 1, key, self: other, peer: one });
  const before = natSetUpAgain(first, args, firstSetUp, [], settled);
  return [before, natSetUpAgain(second, args, secondSetUp, [before], settled)];
}

/** A machine's address in the pair. */
export function primaryOf(privateAddresses: pulumi.Output<string[]>): pulumi.Output<string> {
  return privateAddresses.apply(([primary]) => primary as string);
}

function setUp(
  { nat, privateCidrs: blocks, ssh, highAvailability = {} }: NatInstanceArgs,
  { at, key, ...addresses }: Pick<PairRole, "at" | "key"> & Record<"self" | "peer", pulumi.Input<string>>,
): pulumi.Output<NatSetupArgs> {
  return pulumi.all([addresses, privateBlocks(blocks), loginBlocks(ssh, blocks), key]).apply(
    ([{ self, peer }, privateCidrs, sshCidrs, secret]): NatSetupArgs => ({
      ...natOptionsOf(nat, at),
      privateCidrs,
      sshCidrs,
      highAvailability: {
        self,
        peer,
        move: { kind: "probe", port: PROBE_PORT },
        inbound: [{ protocol: "tcp", port: PROBE_PORT, cidrs: [LOAD_BALANCER] }],
        check: highAvailability.check ?? DEFAULT_CHECK,
        advertisementMs: highAvailability.advertisementMs,
        key: secret,
      },
    }),
  );
}

/**
 * The address that all of Azure's load balancers probe from. Source: learn.microsoft.com, "What is IP address
 * 168.63.129.16?"
 */
const LOAD_BALANCER = "168.63.129.16/32";
