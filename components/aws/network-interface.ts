/** Network interfaces that outlive the machines they are attached to. */
import { EipAssociation } from "@pulumi/aws/ec2/eipAssociation.js";
import { getElasticIpOutput } from "@pulumi/aws/ec2/getElasticIp.js";
import { NetworkInterface } from "@pulumi/aws/ec2/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { type PublicIp, tagsOf } from "./common.ts";
import { describedType } from "./instance-type.ts";
import type { LinuxHostArgs } from "./linux-host-args.ts";

export interface InterfaceArgs
  extends Pick<
    LinuxHostArgs,
    | "tags"
    | "subnetId"
    | "instanceType"
    | "privateAddress"
    | "addressesMove"
    | "interfaceAfter"
    | "forwarding"
  > {
  readonly securityGroups: pulumi.Input<pulumi.Input<string>[]>;
  readonly publicIps: readonly PublicIp[];
  /** A change of this makes another interface. @default it outlives its machines */
  readonly renewedWith?: pulumi.Input<string> | undefined;
}

export interface Interface {
  readonly id: pulumi.Output<string>;
  /** Private addresses, the primary one first. */
  readonly privateAddresses: pulumi.Output<string[]>;
}

/**
 * A network interface with a private address for each public one.
 *
 * @throws {pulumi.InputPropertyError} for more addresses than the instance type's interfaces hold.
 */
export function networkInterface(
  name: string,
  args: InterfaceArgs,
  parent: pulumi.Resource,
): Interface & { readonly resource: pulumi.Resource } {
  const { privateAddress } = args;
  const count = privateAddressesOf(args);
  const eni = new NetworkInterface(
    name,
    {
      subnetId: args.subnetId,
      securityGroups: args.securityGroups,
      // Required for NAT: EC2 drops packets that are neither from nor to the interface's own addresses.
      sourceDestCheck: !args.forwarding,
      privateIps: privateAddress === undefined ? undefined : [privateAddress],
      privateIpsCount: count > 1 ? secondaryAddresses(args, parent) : undefined,
      tags: tagsOf(name, args),
    },
    // Deleted first with given addresses, since a private address is in one interface at a time. Otherwise routes lead to
    // the new interface before the old one is deleted.
    {
      parent,
      deleteBeforeReplace: privateAddress !== undefined,
      // EC2 never removes an interface's primary address.
      ...(privateAddress === undefined ? {} : { replaceOnChanges: ["privateIps"] }),
      dependsOn: [...(args.interfaceAfter ?? [])],
      replacementTrigger: args.renewedWith,
      ...(args.addressesMove ? { ignoreChanges: ["privateIps", "privateIpsCount"] } : {}),
    },
  );
  const privateAddresses = pulumi
    .all([eni.privateIp, eni.privateIps])
    // AWS lists the secondary ones in no order.
    .apply(([primary, all]) => [primary, ...all.filter((address) => address !== primary).sort()]);
  return { id: eni.id, privateAddresses, resource: eni };
}

interface LeadArgs extends Pick<InterfaceArgs, "publicIps" | "addressesMove"> {
  readonly internetReady: readonly pulumi.Resource[];
  /** Resources that exist before the addresses move. */
  readonly after: readonly pulumi.Resource[];
  /**
   * Whether EC2 takes them from a former machine in the same step, so that the former association is gone when the engine
   * deletes it.
   */
  readonly fromFormer: boolean;
}

/** Moves public addresses to an interface, each to a private address of its own. @param name Name of the interface. */
export function leadAddresses(
  name: string,
  args: LeadArgs,
  own: Interface,
  parent: pulumi.Resource,
): EipAssociation[] {
  const several = privateAddressesOf(args) > 1;
  const places = placesOf(args.publicIps, own, parent);
  // An association needs an internet gateway; and an address is in one place at a time.
  const dependsOn = [...args.internetReady, ...args.after];
  const options = { parent, dependsOn, deleteBeforeReplace: several || !args.fromFormer };
  const made: EipAssociation[] = [];
  for (const [index, { id: allocationId }] of args.publicIps.entries()) {
    // Where another order of the list moves addresses, all former associations end first: for one that stays where it is EC2
    // answers with its present association, and whoever had that before would end it.
    const place = pulumi.all([places, made.at(-1)?.id]).apply(([all]) => all[index] as string);
    const privateIpAddress = several ? place : undefined;
    // Taken from the interface that it may still be at.
    const inputs = { allocationId, networkInterfaceId: own.id, allowReassociation: true, privateIpAddress };
    made.push(new EipAssociation(`${name}-${index + 1}`, inputs, options));
  }
  return made;
}

/**
 * The private address for each public one. A public address already at this interface stays: EC2 lists secondary addresses
 * in no order, and a new one may sort before them.
 */
function placesOf(
  publicIps: readonly PublicIp[],
  { id, privateAddresses }: Interface,
  parent: pulumi.Resource,
): pulumi.Output<string[]> {
  if (publicIps.length === 1) {
    return privateAddresses;
  }
  const now = publicIps.map((ip) => getElasticIpOutput({ id: ip.id }, { parent }));
  return pulumi.all([id, privateAddresses, pulumi.all(now)]).apply(([own, all, places]) => {
    const kept = places.map(({ networkInterfaceId, privateIp }) =>
      networkInterfaceId === own && all.includes(privateIp) ? privateIp : undefined,
    );
    const free = all.filter((address) => !kept.includes(address));
    return kept.map((address) => address ?? (free.shift() as string));
  });
}

function privateAddressesOf({
  publicIps,
  addressesMove,
}: Pick<InterfaceArgs, "publicIps" | "addressesMove">): number {
  return publicIps.length + (addressesMove === "spare" ? 1 : 0);
}

function secondaryAddresses(args: InterfaceArgs, parent: pulumi.Resource): pulumi.Output<number> {
  const count = privateAddressesOf(args);
  const type = pulumi.output(args.instanceType).apply((name) => describedType(name, parent));
  return type.apply(({ instanceType, maximumIpv4AddressesPerInterface: most }) => {
    if (count > most) {
      throw invalid(
        "publicIpCount",
        `${count} public addresses need ${count} private ones, and an interface of ${instanceType} holds ${most}; lower publicIpCount or choose a larger instanceType`,
      );
    }
    return count - 1;
  });
}
