/** Network interfaces of virtual machines, each with a security group of its own. */
import { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { type AzureArgs, child, placement, subResource } from "./common.ts";
import { type SecurityRule, securityGroup } from "./security-rules.ts";
import { acceleratedNetworking } from "./sizes.ts";

/** A private address of the machine, and the public one that it is translated to. */
export interface AddressArgs {
  /** @default Azure's choice, kept as long as the interface lives */
  readonly privateAddress?: pulumi.Input<string> | undefined;
  readonly publicIpAddressId?: pulumi.Input<string> | undefined;
  readonly backendPoolId?: pulumi.Input<string> | undefined;
  readonly applicationSecurityGroupId?: pulumi.Input<string> | undefined;
}

/** A machine's place in the network, and the traffic that may reach it. */
export interface InterfaceArgs extends AzureArgs {
  /** Size of its machine. */
  readonly size: pulumi.Input<string>;
  /** Whether it uses accelerated networking. @default where the size has it */
  readonly acceleratedNetworking?: boolean | undefined;
  readonly subnetId: pulumi.Input<string>;
  /** Private and public addresses; the first is the primary one. */
  readonly addresses: readonly [AddressArgs, ...AddressArgs[]];
  /** Traffic that may reach it; nothing else does. */
  readonly rules: readonly SecurityRule[];
  /** Whether it accepts packets for other addresses. @default false */
  readonly forwarding?: boolean | undefined;
  /** Resources that must exist before the interface changes. @default none */
  readonly interfaceAfter?: readonly pulumi.Resource[] | undefined;
}

/** Azure changes accelerated networking only while no machine runs on the interface, and never the subnet. */
const fixedAtCreation = ["enableAcceleratedNetworking", "ipConfigurations[*].subnet.id"];

/** A network interface with its security group. @param name Name of the machine. */
export function networkInterface(
  name: string,
  args: InterfaceArgs,
  parent: pulumi.Resource,
): NetworkInterface {
  const group = securityGroup(`${name}-nsg`, args, args.rules, parent);
  return new NetworkInterface(
    `${name}-nic`,
    {
      ...placement(args),
      enableAcceleratedNetworking: pulumi
        .output(args.size)
        .apply((known) => acceleratedNetworking(known, args.acceleratedNetworking)),
      enableIPForwarding: args.forwarding ?? false,
      networkSecurityGroup: { id: group.id },
      ipConfigurations: args.addresses.map((address, index) =>
        ipConfiguration(args.subnetId, address, index),
      ),
    },
    // A static or public address cannot be in two interfaces at a time.
    child(parent, {
      dependsOn: [...(args.interfaceAfter ?? [])],
      replaceOnChanges: fixedAtCreation,
      deleteBeforeReplace: true,
    }),
  );
}

function ipConfiguration(subnetId: pulumi.Input<string>, address: AddressArgs, index: number) {
  const { privateAddress, publicIpAddressId, backendPoolId, applicationSecurityGroupId } = address;
  return {
    name: index === 0 ? "primary" : `secondary-${index}`,
    primary: index === 0,
    privateIPAddressVersion: "IPv4",
    subnet: { id: subnetId },
    privateIPAllocationMethod: privateAddress === undefined ? "Dynamic" : "Static",
    privateIPAddress: privateAddress,
    publicIPAddress: subResource(publicIpAddressId),
    loadBalancerBackendAddressPools: backendPoolId === undefined ? undefined : [{ id: backendPoolId }],
    applicationSecurityGroups:
      applicationSecurityGroupId === undefined ? undefined : [{ id: applicationSecurityGroupId }],
  };
}
