/** Two NAT instances behind an internal load balancer; one stands by. */

import { AvailabilitySet } from "@pulumi/azure-native/compute/availabilitySet.js";
import { ApplicationSecurityGroup } from "@pulumi/azure-native/network/applicationSecurityGroup.js";
import * as pulumi from "@pulumi/pulumi";
import { AZURE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";
import { idleSeconds } from "../nat-instance/index.ts";
import { invalid } from "../shared/arguments.ts";
import { assertPairable } from "../shared/nat-set-up.ts";
import { pairKey } from "../shared/pair-key.ts";
import { refusedWith } from "../shared/preview-check.ts";
import { activeBalancer } from "./active-balancer.ts";
import { child, placement, subResource } from "./common.ts";
import { freeForUpdate, unswapped } from "./held-addresses.ts";
import type { Lead, NatMachines } from "./nat-alone.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { introduce, type PairPlace, type PairRole, pairMachine, primaryOf } from "./pair-machine.ts";
import { publicIpsOf } from "./public-ip.ts";
import { zonesOf } from "./regions.ts";

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
  // The load balancer's frontend is IPv4 only.
  assertPairable(nat, ["nat64", "privateIpv6Cidrs"]);
}

/** Source: learn.microsoft.com/azure/load-balancer/load-balancer-ha-ports-overview, read on 2026-11-23 */
const WHAT_PASSES =
  "highAvailability: a pair passes TCP and UDP alone, as Azure's load balancer does: no ping, no ESP. Test with nc -z or curl; for other protocols take one NAT instance (docs/high-availability.md)";

/** Makes the pair and its load balancer. */
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
  const ips = publicIpsOf(name, { ...args, ...choice }, 2, parent);
  const balancer = activeBalancer(`${name}-balancer`, { ...args, zones }, parent);
  const group = new ApplicationSecurityGroup(`${name}-pair-asg`, placement(args), child(parent));
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
    idleTimeoutSeconds: Math.min(AZURE_IDLE_SECONDS, idleSeconds(args.nat?.idleTimeouts).tcp),
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
