/** Two NAT instances behind an internal load balancer; one stands by. */
import { AvailabilitySet } from "@pulumi/azure-native/compute/availabilitySet.js";
import { ApplicationSecurityGroup } from "@pulumi/azure-native/network/applicationSecurityGroup.js";
import * as pulumi from "@pulumi/pulumi";
import {
  assertPairable,
  loginBlocks,
  natBoot,
  natOptionsOf,
  pairKey,
  privateBlocks,
  takenIn,
  waitForPair,
} from "../nat-instance/cloud-machine.ts";
import { HA_PACKAGES, type NatSetupArgs, SIGNS_PORT } from "../nat-instance/index.ts";
import { invalid } from "../shared/arguments.ts";
import { refusedWith } from "../shared/preview-check.ts";
import { activeBalancer, PROBE_PORT } from "./active-balancer.ts";
import { child, machineSettings, placement, subResource } from "./common.ts";
import { freeForUpdate, unswapped } from "./held-addresses.ts";
import { LinuxHost } from "./linux-host.ts";
import type { Lead, NatMachines } from "./nat-alone.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { natBirth, natSetUpAgain } from "./nat-set-up.ts";
import { publicIpsOf } from "./public-ip.ts";
import { zonesOf } from "./regions.ts";
import { natRules, pairRules } from "./security-rules.ts";

/** Zones of both machines: two, or none. @throws {pulumi.InputPropertyError} */
function zonesOfPair({ zone, location, highAvailability }: NatInstanceArgs): readonly string[] {
  if (zone !== undefined) {
    throw invalid("zone", "is one machine's; name two with highAvailability.zones");
  }
  const none = typeof location === "string" && zonesOf(location).length === 0;
  const { zones = none ? [] : ["1", "2"] } = highAvailability ?? {};
  if (zones.length > 0 && (zones.length !== 2 || zones[0] === zones[1])) {
    throw invalid(
      "highAvailability.zones",
      `got ${zones.join(", ")}; expected two zones, so that one zone's failure leaves the standby, or [] for an availability set`,
    );
  }
  return zones;
}

/** Refuses options that no pair can have. @throws {pulumi.InputPropertyError} */
function assertPairArgs(args: NatInstanceArgs, zones: readonly string[]): void {
  const { publicIpCount = 1, publicIps, proximityPlacementGroupId, nat } = args;
  if (publicIps !== undefined && publicIps.length !== 2) {
    throw invalid(
      "publicIps",
      `got ${publicIps.length}; expected two with highAvailability, one for each machine`,
    );
  }
  if (publicIpCount !== 1) {
    throw invalid("publicIpCount", "must be one with highAvailability: each machine has one");
  }
  if (proximityPlacementGroupId !== undefined && zones.length > 0) {
    throw invalid(
      "proximityPlacementGroupId",
      "holds machines of one zone; leave it out, or set highAvailability.zones to []",
    );
  }
  assertPairable(nat, ["forward"]);
}

/** Source: learn.microsoft.com/azure/load-balancer/load-balancer-ha-ports-overview, read on 2026-11-23 */
const WHAT_PASSES =
  "highAvailability: a pair passes TCP and UDP alone, as Azure's load balancer does: no ping, no ESP. Test with nc -z or curl; for other protocols take one NAT instance (docs/high-availability.md)";

export function natPair(
  name: string,
  args: NatInstanceArgs,
  size: pulumi.Input<string>,
  parent: pulumi.Resource,
  lead: Lead,
): NatMachines {
  const zones = zonesOfPair(args);
  assertPairArgs(args, zones);
  void pulumi.log.info(WHAT_PASSES);
  const { publicIps } = args;
  const choice = publicIps === undefined ? { publicIpCount: 2 } : { publicIpCount: undefined, publicIps };
  const ips = publicIpsOf(name, { ...args, ...choice }, parent);
  const balancer = activeBalancer(`${name}-balancer`, { ...args, zones }, parent);
  // The members of a group are in one virtual network.
  const network = pulumi.output(args.subnetId).apply((id) => id.replace(/\/subnets\/[^/]*$/, ""));
  const group = new ApplicationSecurityGroup(
    `${name}-pair-asg`,
    placement(args),
    child(parent, { replacementTrigger: network }),
  );
  const availabilitySetId = zones.length > 0 ? undefined : availabilitySet(name, args, parent);
  const { privateAddresses = [] } = args.highAvailability ?? {};
  const [, other] = privateAddresses;
  const place: PairPlace = { zones, ips, poolId: balancer.poolId, groupId: group.id, availabilitySetId };
  const key = pairKey(name, parent);
  const machine = (role: Omit<PairRole, "key">) =>
    pairMachine(name, { ...args, size }, place, { ...role, key }, parent);
  const first = machine({ at: 0, after: [], peer: other });
  // Another frontend gets the clients once a machine answers there; then the second machine leaves the former one.
  const routes = lead(balancer.frontend, first.ready);
  const second = machine({
    at: 1,
    after: [...first.ready, ...routes],
    peer: primaryOf(first.privateAddresses),
  });
  const refusals = [
    ...(privateAddresses.length === 0 ? [] : [unswapped(privateAddresses, second)]),
    ...(publicIps?.map(({ id }, at) => freeForUpdate(id, at === 0 ? [first] : [second, first])) ?? []),
  ];
  return {
    hosts: [first, second],
    addresses: ips.map(({ address }) => refusedWith(address, refusals)),
    nextHop: balancer.frontend,
    more: [balancer.resource, ...routes, ...introduce([first, second], args, key)],
  };
}

function availabilitySet(
  name: string,
  args: NatInstanceArgs,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  return new AvailabilitySet(
    `${name}-pair-set`,
    {
      ...placement(args),
      platformFaultDomainCount: 2,
      // Managed disks need Aligned.
      sku: { name: "Aligned" },
      proximityPlacementGroup: subResource(args.proximityPlacementGroupId),
    },
    // Azure moves an availability set to another group only while none of its machines is allocated.
    child(parent, { replaceOnChanges: ["proximityPlacementGroup"] }),
  ).id;
}

interface PairPlace {
  readonly zones: readonly string[];
  readonly ips: ReturnType<typeof publicIpsOf>;
  readonly poolId: pulumi.Output<string>;
  readonly groupId: pulumi.Output<string>;
  readonly availabilitySetId: pulumi.Output<string> | undefined;
}

/** A machine's number in the pair, and the resources that it waits for. */
interface PairRole {
  readonly at: 0 | 1;
  readonly key: pulumi.Output<string>;
  /** Address of the other machine. @default unknown at boot: this machine carries alone and learns the address later */
  readonly peer: pulumi.Input<string> | undefined;
  readonly after: readonly pulumi.Resource[];
}

/** An address for documentation, which no machine has. Source: RFC 5737 */
const NO_PEER = "192.0.2.1";

function pairMachine(
  name: string,
  args: NatInstanceArgs & { readonly size: pulumi.Input<string> },
  { zones, ips, poolId, groupId, availabilitySetId }: PairPlace,
  { at, key, peer = NO_PEER, after }: PairRole,
  parent: pulumi.Resource,
): LinuxHost {
  const { ssh, size, highAvailability } = args;
  return new LinuxHost(
    // A single machine becomes the pair's first, and stays when the pair becomes one machine again.
    at === 0 ? `${name}-nat` : `${name}-nat-2`,
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
        ...pairRules({ groupId: groupId, signsPort: SIGNS_PORT, probePort: PROBE_PORT }),
        ...natRules(takenIn(args)),
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
    { parent },
  );
}

/** The boot of a pair's machine: its set-up runs only after the packages are installed, because it needs them. */
function pairBoot({ nat }: NatInstanceArgs): ReturnType<typeof natBoot> {
  const { packages, kernelModule, packageSources } = natBoot(nat);
  const more = HA_PACKAGES.filter((one) => one !== "conntrackd");
  return { packages: [...new Set([...packages, ...more])], kernelModule, packageSources };
}

/** Tells both machines each other's address, one after the other, whenever their set-up changes. */
function introduce(
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
  const before = natSetUpAgain(first, args, firstSetUp, [], waitForPair);
  return [before, natSetUpAgain(second, args, secondSetUp, [before], waitForPair)];
}

function primaryOf(privateAddresses: pulumi.Output<string[]>): pulumi.Output<string> {
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
        check: highAvailability.check,
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
