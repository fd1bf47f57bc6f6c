/**
 * A Linux virtual machine that can be logged in to.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Burst, Role } from "../../bench/results/index.ts";
import { checked } from "../shared/arguments.ts";
import type { Host } from "../shared/host.ts";
import { hostLogin, type SshArgs } from "../shared/host-login.ts";
import { hostReady } from "../shared/host-ready.ts";
import { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { type AzureArgs, child, placement } from "./common.ts";
import { defaultImage, type Image } from "./image.ts";
import { managedReady } from "./managed-ready.ts";
import { osProfile } from "./os-profile.ts";
import { assertZone } from "./regions.ts";
import { type SecurityRule, securityGroup } from "./security-rules.ts";
import { acceleratedNetworking, cpuBurst } from "./sizes.ts";

/** What a machine is, beside its place in the network. */
export interface MachineArgs {
  /** Such as `Standard_D8ls_v5`. Passed through to Azure. */
  readonly size: pulumi.Input<string>;
  /** @default Ubuntu 24.04 of the size's architecture, pinned */
  readonly image?: Image | undefined;
  /** Availability zone. @default Azure's choice */
  readonly zone?: pulumi.Input<string> | undefined;
  /** Resource id of a proximity placement group in the machine's region. @default none */
  readonly proximityPlacementGroupId?: pulumi.Input<string> | undefined;
  /** @default where the size has it */
  readonly acceleratedNetworking?: boolean | undefined;
  /** @default azureuser */
  readonly adminUser?: pulumi.Input<string> | undefined;
}

/** A private address of the machine, and the public one that Azure translates it to. */
interface AddressArgs {
  /** @default Azure's choice, kept as long as the interface lives */
  readonly privateAddress?: pulumi.Input<string> | undefined;
  readonly publicIpAddressId?: pulumi.Input<string> | undefined;
  readonly backendPoolId?: pulumi.Input<string> | undefined;
  readonly applicationSecurityGroupId?: pulumi.Input<string> | undefined;
}

/** What the machine is, its place in the network, and what runs at its first boot. */
export interface LinuxHostArgs extends AzureArgs, MachineArgs {
  /** What it does in a benchmark. */
  readonly role: Role;
  /** Resource id of an availability set; not with a zone. @default none */
  readonly availabilitySetId?: pulumi.Input<string> | undefined;
  /** Subnet of its network interface. */
  readonly subnetId: pulumi.Input<string>;
  /** The first is the primary one. */
  readonly addresses: readonly [AddressArgs, ...AddressArgs[]];
  /** What may reach it; nothing else does. */
  readonly rules: readonly SecurityRule[];
  /** @default false */
  readonly forwarding?: boolean | undefined;
  /** Cloud-init document; gets the host's own key, and the private addresses that Azure gave. */
  readonly userData: (facts: MachineIdentity) => pulumi.Output<string>;
  /** Whose holder may log in. Without it Azure itself is asked when the set-up is over. @default nobody */
  readonly sshKey?: SshArgs["key"] | undefined;
  /** Address to log in at. @default the primary private address, through `jump` */
  readonly loginAddress?: pulumi.Input<string> | undefined;
  /** The host through which it is logged in to. @default none */
  readonly jump?: LinuxHost | undefined;
  /** What has to exist before the machine boots: its way out. @default none */
  readonly bootAfter?: readonly pulumi.Resource[] | undefined;
  /** @default the primary private address */
  readonly dataAddress?: pulumi.Input<string> | undefined;
}

/** What is known about a machine before it boots. */
export interface MachineIdentity {
  readonly hostKey: SshKeyPair;
  readonly privateAddresses: pulumi.Output<string[]>;
}

/** Azure refuses other values in place. */
const fixedAtCreation = [
  "osProfile",
  "storageProfile.imageReference",
  "zones",
  "vmName",
  // Azure moves only machines that are deallocated.
  "proximityPlacementGroup",
  "availabilitySet",
];

/**
 * A virtual machine with one network interface, its own security group and a host key that is verified.
 *
 * Cost (USD, pay as you go): the size, Standard_B2ats_v2 about 0.0094 an hour, and a 30 GB disk about 2.40 a month.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const host = new azure.LinuxHost("app", {
 *   resourceGroupName: group.name, location: group.location,
 *   role: "client",
 *   size: "Standard_B2ats_v2",
 *   subnetId: appSubnet.id,
 *   addresses: [{}],
 *   rules: [],
 *   userData: () => pulumi.output("#cloud-config\npackages: [iperf3]\n"),
 *   sshKey: operator,
 * });
 * ```
 */
export class LinuxHost extends pulumi.ComponentResource implements Host {
  readonly name: string;
  /** What it does in a benchmark. */
  readonly role: Role;
  readonly #connection: pulumi.Output<types.input.remote.ConnectionArgs> | undefined;
  readonly dataAddress: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];
  readonly identity: pulumi.Output<string>;
  readonly machine: pulumi.Resource;
  readonly size: pulumi.Input<string>;
  readonly revision: pulumi.Output<string>;
  /** Region, as the cloud names it. */
  readonly region: pulumi.Input<string>;
  /** Availability zone, as the cloud names it. */
  readonly zone: pulumi.Input<string> | undefined;
  readonly burst: pulumi.Output<Burst | null>;
  /** Where it is logged in to: directly, or from its jump host. */
  readonly loginAddress: pulumi.Output<string>;
  /** Of the network interface, the primary one first. */
  readonly privateAddresses: pulumi.Output<string[]>;

  constructor(name: string, args: LinuxHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:LinuxHost", name, {}, opts);
    assertZone(args.zone, args.location);
    const size = checked(args.size, (known) => acceleratedNetworking(known, args.acceleratedNetworking));
    const hostKey = new SshKeyPair(`${name}-host-key`, { parent: this });
    const nic = this.#networkInterface(name, args, size);
    this.privateAddresses = nic.ipConfigurations.apply((configurations) =>
      (configurations ?? []).map(({ privateIPAddress }) => privateIPAddress ?? ""),
    );
    const customData = args
      .userData({ hostKey, privateAddresses: this.privateAddresses })
      .apply((document) => Buffer.from(document).toString("base64"));
    // Azure wants a key; the machine's own opens it to nobody.
    const authorizedKey = args.sshKey?.publicKey ?? hostKey.publicKey;
    const machine = this.#virtualMachine(name, args, size, nic.id, customData, authorizedKey);
    const primary = this.privateAddresses.apply(([first]) => first ?? "");
    this.name = name;
    this.role = args.role;
    this.size = size;
    this.region = args.location;
    this.zone = args.zone;
    this.burst = pulumi.output(size).apply((known) => {
      const cpu = cpuBurst(known);
      return cpu && { cpu, network: null };
    });
    this.machine = machine;
    this.identity = machine.vmId;
    this.revision = pulumi.output(size).apply((known) => {
      const isAccelerated = acceleratedNetworking(known, args.acceleratedNetworking);
      return `${known}, accelerated networking ${isAccelerated ? "on" : "off"}`;
    });
    this.dataAddress = pulumi.output(args.dataAddress ?? primary);
    this.loginAddress = pulumi.output(args.loginAddress ?? primary);
    this.#connection =
      args.sshKey &&
      hostLogin({
        host: this.loginAddress,
        user: args.adminUser ?? DEFAULT_ADMIN_USER,
        privateKey: args.sshKey.privateKey,
        hostKey: hostKey.publicKey,
        jump: args.jump,
      });
    this.ready = [this.#readyBy(`${name}-ready`, args, machine)];
    this.registerOutputs({ dataAddress: this.dataAddress });
  }

  /** @throws {Error} where nobody may log in. */
  get connection(): pulumi.Output<types.input.remote.ConnectionArgs> {
    if (this.#connection === undefined) {
      throw new Error(`nobody may log in to ${this.name}; give its component ssh`);
    }
    return this.#connection;
  }

  #readyBy(name: string, args: LinuxHostArgs, machine: VirtualMachine): pulumi.Resource {
    const { identity } = this;
    const opts = { parent: this, dependsOn: [...(args.jump?.ready ?? [])] };
    return args.sshKey === undefined
      ? managedReady(name, { ...placement(args), machine }, opts)
      : hostReady(name, { connection: this.connection, identity, machine }, opts);
  }

  #networkInterface(name: string, args: LinuxHostArgs, size: pulumi.Input<string>): NetworkInterface {
    const group = securityGroup(`${name}-nsg`, args, args.rules, this);
    return new NetworkInterface(
      `${name}-nic`,
      {
        ...placement(args),
        enableAcceleratedNetworking: pulumi
          .output(size)
          .apply((known) => acceleratedNetworking(known, args.acceleratedNetworking)),
        enableIPForwarding: args.forwarding ?? false,
        networkSecurityGroup: { id: group.id },
        ipConfigurations: args.addresses.map((address, index) =>
          ipConfiguration(args.subnetId, address, index),
        ),
      },
      // A static address cannot be in two interfaces at a time.
      child(this, { replaceOnChanges: ["ipConfigurations[*].subnet.id"], deleteBeforeReplace: true }),
    );
  }

  #virtualMachine(
    name: string,
    args: LinuxHostArgs,
    size: pulumi.Input<string>,
    nicId: pulumi.Input<string>,
    customData: pulumi.Input<string>,
    authorizedKey: pulumi.Input<string>,
  ): VirtualMachine {
    return new VirtualMachine(
      name,
      {
        ...placement(args),
        ...(args.zone === undefined ? {} : { zones: [args.zone] }),
        ...(args.availabilitySetId === undefined ? {} : { availabilitySet: { id: args.availabilitySetId } }),
        ...(args.proximityPlacementGroupId === undefined
          ? {}
          : { proximityPlacementGroup: { id: args.proximityPlacementGroupId } }),
        hardwareProfile: { vmSize: size },
        storageProfile: {
          imageReference: args.image ?? pulumi.output(size).apply(defaultImage),
          osDisk: {
            createOption: "FromImage",
            deleteOption: "Delete",
            managedDisk: { storageAccountType: "StandardSSD_LRS" },
          },
        },
        osProfile: osProfile(name, args.adminUser ?? DEFAULT_ADMIN_USER, customData, authorizedKey),
        networkProfile: { networkInterfaces: [{ id: nicId, primary: true, deleteOption: "Detach" }] },
        diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      },
      child(this, {
        dependsOn: [...(args.bootAfter ?? [])],
        replaceOnChanges: fixedAtCreation,
        // An interface holds one machine at a time.
        deleteBeforeReplace: true,
      }),
    );
  }
}

const DEFAULT_ADMIN_USER = "azureuser";

function ipConfiguration(subnetId: pulumi.Input<string>, address: AddressArgs, index: number) {
  const { privateAddress, publicIpAddressId, backendPoolId, applicationSecurityGroupId } = address;
  return {
    name: index === 0 ? "primary" : `secondary-${index}`,
    primary: index === 0,
    privateIPAddressVersion: "IPv4",
    subnet: { id: subnetId },
    ...(privateAddress === undefined
      ? { privateIPAllocationMethod: "Dynamic" }
      : { privateIPAllocationMethod: "Static", privateIPAddress: privateAddress }),
    ...(publicIpAddressId === undefined ? {} : { publicIPAddress: { id: publicIpAddressId } }),
    ...(backendPoolId === undefined ? {} : { loadBalancerBackendAddressPools: [{ id: backendPoolId }] }),
    ...(applicationSecurityGroupId === undefined
      ? {}
      : { applicationSecurityGroups: [{ id: applicationSecurityGroupId }] }),
  };
}
