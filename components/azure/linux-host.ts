import { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type Burst, type Role, roleSchema } from "../../bench/results/index.ts";
import { checkArgs, functionOf, objectOf, optionalFlag, resources, text } from "../shared/args-schema.ts";
import { checked } from "../shared/arguments.ts";
import { firstUserData } from "../shared/first-found.ts";
import { gzipBase64 } from "../shared/gzip.ts";
import { cpuBurst, type Host } from "../shared/host.ts";
import { connectionKey, hostLogin, keyPairSchema } from "../shared/host-login.ts";
import { type FurtherWait, hostReady } from "../shared/host-ready.ts";
import { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { azureShape, child, type MachineArgs, machineShape, placement, subResource } from "./common.ts";
import { defaultImage } from "./image.ts";
import { managedReady } from "./managed-ready.ts";
import { assertZone } from "./regions.ts";
import { type SecurityRule, securityGroup } from "./security-rules.ts";
import { acceleratedNetworking, resizeClass } from "./sizes.ts";

/** Facts of a machine that are known before it boots. */
export interface MachineIdentity {
  readonly hostKey: SshKeyPair;
  readonly privateAddresses: pulumi.Output<string[]>;
}

const addressSchema = objectOf<AddressArgs>("an address");

const linuxHostSchema = z.strictObject({
  ...azureShape,
  ...machineShape,
  role: roleSchema,
  /** Resource id of an availability set; excludes a zone. @default none */
  availabilitySetId: text.optional(),
  /** Subnet of its network interface. */
  subnetId: text,
  /** Private and public addresses; the first is the primary one. */
  addresses: z.tuple([addressSchema], addressSchema).readonly(),
  /** Traffic that may reach it; nothing else does. */
  rules: z.array(objectOf<SecurityRule>("a rule")).readonly(),
  /** Whether it accepts packets for other addresses. @default false */
  forwarding: optionalFlag,
  /** Makes the cloud-init document, from the host's own key and the private addresses that Azure gave. */
  userData: functionOf<(facts: MachineIdentity) => pulumi.Output<string>>(),
  /**
   * Text that decides whether the first user data stays: while it is the same, a running machine is set up again instead of
   * replaced.
   * @default the user data itself
   */
  lifelong: functionOf<(facts: MachineIdentity) => pulumi.Output<string>>().optional(),
  /** The login key. Without it, Azure is asked whether the set-up is over. @default no logins */
  sshKey: keyPairSchema.optional(),
  /** Address to log in at. @default the primary private address, through `jump` */
  loginAddress: text.optional(),
  /** The host through which it is logged in to. @default none */
  jump: objectOf<LinuxHost>("a LinuxHost", "connection").optional(),
  /** Resources that must exist before the machine boots: its way out. @default none */
  bootAfter: resources.optional(),
  /** Further resources that `ready` waits for. @default none */
  further: objectOf<FurtherWait>("{ script, triggers }").optional(),
  /** Resources that must exist before its network interface changes. @default none */
  interfaceAfter: resources.optional(),
  /** @default the primary private address */
  dataAddress: text.optional(),
});

/** The machine, its place in the network, and the commands of its first boot. */
export interface LinuxHostArgs extends Readonly<z.infer<typeof linuxHostSchema>> {}

/**
 * A virtual machine with one network interface, its own security group and a host key that is verified.
 *
 * Cost (USD, pay as you go): the size, Standard_B2ats_v2 about 0.0094 an hour, and a 30 GB disk about 2.4 a month.
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
  readonly role: Role;
  readonly #connection: pulumi.Output<types.input.remote.ConnectionArgs> | undefined;
  readonly dataAddress: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];
  readonly identity: pulumi.Output<string>;
  readonly machine: VirtualMachine;
  /** Its network interface, which outlives it. */
  readonly networkInterface: pulumi.CustomResource;
  readonly size: pulumi.Input<string>;
  readonly revision: pulumi.Output<string>;
  /** Region, as the cloud names it. */
  readonly region: pulumi.Input<string>;
  /** Availability zone, as the cloud names it. */
  readonly zone: pulumi.Input<string> | undefined;
  readonly burst: pulumi.Output<Burst | null>;
  /** Login address: its own, or the one that its jump host uses. */
  readonly loginAddress: pulumi.Output<string>;
  /** Private addresses of the network interface, the primary one first. */
  readonly privateAddresses: pulumi.Output<string[]>;

  constructor(name: string, args: LinuxHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:LinuxHost", name, {}, opts);
    checkArgs("LinuxHost", linuxHostSchema, args);
    assertZone(args.zone, args.location);
    const size = checked(args.size, (known) => acceleratedNetworking(known, args.acceleratedNetworking));
    const hostKey = new SshKeyPair(`${name}-host-key`, { parent: this });
    const nic = networkInterface(name, { ...args, size }, this);
    // A preview may know the former addresses only.
    this.privateAddresses = pulumi
      .all([nic.ipConfigurations, args.addresses.map(({ privateAddress }) => privateAddress)])
      .apply(([configurations, given]) =>
        (configurations ?? []).map(({ privateIPAddress }, index) => given[index] ?? privateIPAddress ?? ""),
      );
    const facts = { hostKey, privateAddresses: this.privateAddresses };
    const document = args.userData(facts);
    const userData = args.lifelong ? firstUserData(name, document, args.lifelong(facts), this) : document;
    // Azure requires a key; nobody holds the machine's own, so it admits no login.
    const authorizedKey = args.sshKey?.publicKey ?? hostKey.publicKey;
    const machineArgs = { ...args, size, networkInterface: nic, userData, authorizedKey };
    const machine = virtualMachine(name, machineArgs, this);
    const primary = this.privateAddresses.apply(([first]) => first ?? "");
    this.name = name;
    this.role = args.role;
    this.size = size;
    this.region = args.location;
    this.zone = args.zone;
    this.burst = pulumi.output(size).apply(burstOf);
    this.machine = machine;
    this.networkInterface = nic;
    this.identity = machine.vmId;
    this.revision = pulumi.output(size).apply((known) => revisionOf(known, args.acceleratedNetworking));
    this.dataAddress = pulumi.output(args.dataAddress ?? primary);
    this.loginAddress = pulumi.output(args.loginAddress ?? primary);
    this.#connection =
      args.sshKey &&
      hostLogin({
        host: this.loginAddress,
        user: args.adminUser ?? DEFAULT_ADMIN_USER,
        privateKey: connectionKey(args.sshKey),
        hostKey: hostKey.publicKey,
        jump: args.jump,
      });
    this.ready = [this.#readyBy(`${name}-ready`, args, machine)];
    this.registerOutputs({ dataAddress: this.dataAddress });
  }

  /** Its SSH connection. @throws {Error} for a machine without logins. */
  get connection(): pulumi.Output<types.input.remote.ConnectionArgs> {
    if (this.#connection === undefined) {
      throw new Error(`${this.name} has no login; give its component ssh`);
    }
    return this.#connection;
  }

  #readyBy(name: string, args: LinuxHostArgs, machine: VirtualMachine): pulumi.Resource {
    const { identity } = this;
    const { further } = args;
    const opts = { parent: this, dependsOn: [...(args.jump?.ready ?? [])] };
    return args.sshKey === undefined
      ? managedReady(name, { ...placement(args), machine, further }, opts)
      : hostReady(name, { connection: this.connection, identity, machine, further }, opts);
  }
}

function burstOf(size: string): Burst | null {
  // Without credits Azure slows a machine down.
  const cpu = cpuBurst(size, "standard");
  return cpu && { cpu, network: null };
}

function revisionOf(size: string, wanted: LinuxHostArgs["acceleratedNetworking"]): string {
  return `${size}, accelerated networking ${acceleratedNetworking(size, wanted) ? "on" : "off"}`;
}

/** A private address of the machine, and the public one that it is translated to. */
interface AddressArgs {
  /** @default Azure's choice, kept as long as the interface lives */
  readonly privateAddress?: pulumi.Input<string> | undefined;
  readonly publicIpAddressId?: pulumi.Input<string> | undefined;
  readonly backendPoolId?: pulumi.Input<string> | undefined;
  readonly applicationSecurityGroupId?: pulumi.Input<string> | undefined;
}

/** Azure changes accelerated networking only while no machine runs on the interface, and never the subnet. */
const fixedAtCreation = ["enableAcceleratedNetworking", "ipConfigurations[*].subnet.id"];

/** A network interface with its security group. @param name Name of the machine. */
function networkInterface(name: string, args: LinuxHostArgs, parent: pulumi.Resource): NetworkInterface {
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

const DEFAULT_ADMIN_USER = "azureuser";

/** Properties that Azure refuses to change in place. */
const machineFixedAtCreation = [
  "osProfile",
  "storageProfile.imageReference",
  "storageProfile.osDisk.managedDisk.diskEncryptionSet",
  "zones",
  "vmName",
  // Azure moves only machines that are deallocated.
  "proximityPlacementGroup",
  "availabilitySet",
];

/** A virtual machine that admits logins by key only. */
function virtualMachine(
  name: string,
  args: Omit<LinuxHostArgs, "userData"> & {
    readonly networkInterface: NetworkInterface;
    readonly userData: pulumi.Output<string>;
    /** Public key, in OpenSSH's format, whose holder may log in. */
    readonly authorizedKey: pulumi.Input<string>;
  },
  parent: pulumi.Resource,
): VirtualMachine {
  const { zone, availabilitySetId, proximityPlacementGroupId, adminUser = DEFAULT_ADMIN_USER } = args;
  // cloud-init unpacks it: Azure takes 64 KB.
  const customData = args.userData.apply(gzipBase64);
  return new VirtualMachine(
    name,
    {
      ...placement(args),
      zones: zone === undefined ? undefined : [zone],
      availabilitySet: subResource(availabilitySetId),
      proximityPlacementGroup: subResource(proximityPlacementGroupId),
      hardwareProfile: { vmSize: args.size },
      storageProfile: storageProfile(args),
      osProfile: osProfile(name, adminUser, customData, args.authorizedKey),
      networkProfile: {
        networkInterfaces: [{ id: args.networkInterface.id, primary: true, deleteOption: "Detach" }],
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    },
    child(parent, {
      dependsOn: [...(args.bootAfter ?? [])],
      replaceOnChanges: machineFixedAtCreation,
      // Azure resizes no machine across classes.
      replacementTrigger: pulumi.output(args.size).apply(resizeClass),
      // The machine is deleted first: Azure deletes no interface that a machine holds.
      replaceWith: [args.networkInterface],
      deleteBeforeReplace: true,
    }),
  );
}

function storageProfile({ image, size, diskEncryptionSetId }: MachineArgs) {
  return {
    imageReference: image ?? pulumi.output(size).apply(defaultImage),
    osDisk: {
      createOption: "FromImage",
      deleteOption: "Delete",
      managedDisk: {
        storageAccountType: "StandardSSD_LRS",
        diskEncryptionSet: subResource(diskEncryptionSetId),
      },
    },
  };
}

/** Name, operator and first boot of a machine that admits logins by key only. */
function osProfile(
  machine: string,
  adminUsername: pulumi.Input<string>,
  customData: pulumi.Input<string>,
  authorizedKey: pulumi.Input<string>,
) {
  const path = pulumi.interpolate`/home/${adminUsername}/.ssh/authorized_keys`;
  return {
    computerName: computerName(machine),
    adminUsername,
    customData,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ssh: { publicKeys: [{ keyData: authorizedKey, path }] },
    },
  };
}

/** A computer name: Azure takes letters, digits and inner hyphens, 64 at most. */
function computerName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9-]/g, "-")
    .slice(0, 64)
    .replace(/-+$/, "");
}
