/** Network interfaces that outlive the machines they are attached to. */
import { EipAssociation } from "@pulumi/aws/ec2/eipAssociation.js";
import { NetworkInterface } from "@pulumi/aws/ec2/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { type AwsArgs, type PublicIp, tagsOf } from "./common.ts";
import { describedType } from "./instance-type.ts";

/** Arguments of a NAT machine's interface. */
export interface InterfaceArgs extends AwsArgs {
  readonly subnetId: pulumi.Input<string>;
  readonly securityGroups: pulumi.Input<pulumi.Input<string>[]>;
  /** Type of the instance that it is for: limits the number of addresses. */
  readonly instanceType: pulumi.Input<string>;
  /** @default AWS's choice, kept as long as the interface lives */
  readonly privateAddress?: pulumi.Input<string> | undefined;
  /** Each gets a private address of its own. */
  readonly publicIps: readonly PublicIp[];
  /** Whether it takes packets that are not for it. */
  readonly forwarding: boolean;
  readonly internetReady: readonly pulumi.Resource[];
  /**
   * Its secondary addresses come and go with a take-over, which is none of the program's business. `spare`: it has one more
   * than it has public ones, which one of these is to arrive at. @default false
   */
  readonly addressesMove?: boolean | "spare" | undefined;
  /** Resources that exist before it, and after it is deleted. @default none */
  readonly interfaceAfter?: readonly pulumi.Resource[] | undefined;
}

/** The interface, with what has to be there before traffic passes. */
export interface Interface {
  readonly id: pulumi.Output<string>;
  /** The primary one first. */
  readonly privateAddresses: pulumi.Output<string[]>;
  /** The public addresses lead to it. */
  readonly associations: readonly EipAssociation[];
}

/**
 * A network interface with its public addresses.
 *
 * @throws {pulumi.InputPropertyError} for more addresses than the instance type's interfaces hold.
 */
export function networkInterface(name: string, args: InterfaceArgs, parent: pulumi.Resource): Interface {
  const { privateAddress } = args;
  const count = privateAddressesOf(args);
  const eni = new NetworkInterface(
    name,
    {
      subnetId: args.subnetId,
      securityGroups: args.securityGroups,
      // Required for NAT: EC2 drops packets that are neither from nor to the interface's own addresses.
      sourceDestCheck: !args.forwarding,
      ...(privateAddress === undefined ? {} : { privateIps: [privateAddress] }),
      ...(count > 1 ? { privateIpsCount: secondaryAddresses(args, parent) } : {}),
      tags: tagsOf(name, args),
    },
    // A private address cannot be in two interfaces at a time. Else routes lead to the new one before the former one goes.
    {
      parent,
      deleteBeforeReplace: privateAddress !== undefined,
      // EC2 takes no interface its first address.
      ...(privateAddress === undefined ? {} : { replaceOnChanges: ["privateIps"] }),
      dependsOn: [...(args.interfaceAfter ?? [])],
      ...(args.addressesMove ? { ignoreChanges: ["privateIps", "privateIpsCount"] } : {}),
    },
  );
  const privateAddresses = pulumi
    .all([eni.privateIp, eni.privateIps])
    // AWS tells the secondary ones in no order.
    .apply(([primary, all]) => [primary, ...all.filter((address) => address !== primary).sort()]);
  const associations = associated(name, args, { id: eni.id, privateAddresses }, parent);
  return { id: eni.id, privateAddresses, associations };
}

function associated(
  name: string,
  args: InterfaceArgs,
  { id, privateAddresses }: Pick<Interface, "id" | "privateAddresses">,
  parent: pulumi.Resource,
): EipAssociation[] {
  const count = privateAddressesOf(args);
  return args.publicIps.map(
    (ip, index) =>
      new EipAssociation(
        `${name}-${index + 1}`,
        {
          allocationId: ip.id,
          networkInterfaceId: id,
          // From the interface that it may still be at.
          allowReassociation: true,
          ...(count > 1 ? { privateIpAddress: privateAddresses.apply((all) => all[index] as string) } : {}),
        },
        // Without an internet gateway there is nothing to associate with; and an address is in one place at a time.
        { parent, dependsOn: [...args.internetReady], deleteBeforeReplace: true },
      ),
  );
}

/** Where an Elastic IP goes that has been at another machine until now, if there was one. */
interface AddressOfMachineArgs {
  readonly ip: PublicIp;
  readonly interfaceId: pulumi.Input<string>;
}

/**
 * Leads an Elastic IP to a machine's own interface. EC2 takes it from the former machine in that one step, so that the association
 * that was is gone when the engine deletes it.
 */
export function addressOfMachine(
  name: string,
  { ip, interfaceId }: AddressOfMachineArgs,
  parent: pulumi.Resource,
  dependsOn: readonly pulumi.Resource[],
): EipAssociation {
  return new EipAssociation(
    name,
    { allocationId: ip.id, networkInterfaceId: interfaceId, allowReassociation: true },
    { parent, dependsOn: [...dependsOn] },
  );
}

function privateAddressesOf({ publicIps, addressesMove }: InterfaceArgs): number {
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
