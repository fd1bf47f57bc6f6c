import type { Instance } from "@pulumi/aws/ec2/instance.js";
import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { machineOf } from "../../bench/machines/index.ts";
import type { Burst, Role } from "../../bench/results/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { cpuBurst, type Host } from "../shared/host.ts";
import { connectionKey, hostLogin } from "../shared/host-login.ts";
import { hostReady } from "../shared/host-ready.ts";
import { refusedWith } from "../shared/preview-check.ts";
import { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { bootOf, imageOf, machineWord } from "./boot.ts";
import { oneLine, type PublicIp } from "./common.ts";
import { describedType } from "./instance-type.ts";
import { type LinuxHostArgs, linuxHostSchema } from "./linux-host-args.ts";
import { idWithDisk, instance } from "./machine.ts";
import { managedReady } from "./managed-ready.ts";
import { type Interface, leadAddresses, networkInterface } from "./network-interface.ts";
import { securityGroupsOf } from "./security-group.ts";
import { selfHealingInstance } from "./self-healing.ts";

const DEFAULT_ADMIN_USER = "ubuntu";

type Connection = pulumi.Output<types.input.remote.ConnectionArgs>;

interface Built {
  readonly machine: pulumi.Resource;
  readonly identity: pulumi.Output<string>;
  readonly region: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
  readonly privateAddress: pulumi.Output<string>;
  readonly publicAddress: pulumi.Input<string> | undefined;
  /** With `addressLast`: moves the public addresses to it, after the given resources. */
  readonly lead?: ((...after: pulumi.Resource[]) => pulumi.Resource[]) | undefined;
  /** Login address until it has its public address. @default the public address */
  readonly bootAddress?: pulumi.Output<string> | undefined;
  readonly script?: pulumi.Output<string> | undefined;
  /** Credit mode of its CPU; undefined where it has none, or a group hides it. */
  readonly creditMode: pulumi.Output<string | undefined>;
  readonly interfaceId?: pulumi.Output<string>;
  readonly secondaryAddress?: pulumi.Output<string | undefined>;
}

/**
 * An instance with its own security group and a host key that is verified.
 *
 * Cost (USD, us-east-1, on demand): the instance type, t4g.micro 0.0084 an hour, 0.08 a month a GB of disk, and 0.005 an hour for a
 * public address.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const host = new aws.LinuxHost("app", {
 *   vpcId: vpc.id, subnetId: publicSubnet.id,
 *   role: "client", instanceType: "t4g.micro",
 *   rules: [], packages: ["iperf3"],
 *   sshKey: operator,
 *   ephemeralPublicIp: true,
 * });
 * ```
 */
export class LinuxHost extends pulumi.ComponentResource implements Host {
  readonly name: string;
  readonly role: Role;
  readonly #connection: Connection | undefined;
  readonly dataAddress: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];
  /** {@link ready} without what sets a running machine up again. A new machine is set up by its boot. */
  readonly booted: readonly pulumi.Resource[];
  readonly identity: pulumi.Output<string>;
  readonly machine: pulumi.Resource;
  readonly size: pulumi.Input<string>;
  readonly region: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
  readonly burst: pulumi.Output<Burst | null>;
  /** Login address: its own, or the one that its jump host uses. */
  readonly loginAddress: pulumi.Output<string>;
  /** IPv4 address in its subnet, the primary one. */
  readonly privateAddress: pulumi.Output<string>;
  /** The interface of the public addresses; with `addressLast` another machine has another one. Undefined without `publicIps`. */
  readonly interfaceId: pulumi.Output<string> | undefined;
  /** The interface's first private address beside the primary one. Undefined without `publicIps`. */
  readonly secondaryAddress: Built["secondaryAddress"];

  constructor(name: string, args: LinuxHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:LinuxHost", name, {}, opts);
    checkArgs("LinuxHost", linuxHostSchema, args);
    const hostKey = new SshKeyPair(`${name}-host-key`, { parent: this });
    const securityGroups = securityGroupsOf(`${name}-sg`, args, this);
    const { publicIps = [], addressLast = false } = args;
    // Two ways: a group's template names its interface, and only an interface of its own has several private addresses.
    const built =
      publicIps.length > 0 && (!addressLast || args.autoHeal || publicIps.length > 1)
        ? this.#onOwnInterface(name, args, publicIps, securityGroups, hostKey)
        : this.#onPassingInterface(name, args, securityGroups, hostKey);
    this.name = name;
    this.role = args.role;
    this.size = args.instanceType;
    this.region = built.region;
    this.zone = built.zone;
    this.burst = burstOf(args.instanceType, built.creditMode, this);
    this.machine = built.machine;
    this.identity = built.identity;
    this.privateAddress = built.privateAddress;
    this.interfaceId = built.interfaceId;
    this.secondaryAddress = built.secondaryAddress;
    this.dataAddress = pulumi.output(args.dataAddress ?? built.privateAddress);
    this.loginAddress = pulumi.output(built.publicAddress ?? built.privateAddress);
    const { sshKey, adminUser: user = DEFAULT_ADMIN_USER, jump } = args;
    const loginTo = (host: pulumi.Input<string>) =>
      sshKey &&
      hostLogin({ host, user, privateKey: connectionKey(sshKey), hostKey: hostKey.publicKey, jump });
    this.#connection = loginTo(this.loginAddress);
    this.booted = addressLast
      ? this.#inOrder(name, args, built, built.bootAddress && loginTo(built.bootAddress))
      : [this.#readyBy(`${name}-ready`, args, {})];
    this.ready = [...this.booted, ...this.#setUpAgain(`${name}-set-up`, args, built, this.booted)];
    this.registerOutputs({ dataAddress: refusedWith(this.dataAddress, [this.identity]) });
  }

  /** Its SSH connection. @throws {Error} for a machine without logins. */
  get connection(): Connection {
    if (this.#connection === undefined) {
      throw new Error(`${this.name} has no login; give its component ssh`);
    }
    return this.#connection;
  }

  /** Set up, then reached by its public address; the other way round where it has no other address at boot. */
  #inOrder(name: string, args: LinuxHostArgs, { lead = () => [], bootAddress }: Built, atBoot?: Connection) {
    const wait = (...after: pulumi.Resource[]) => this.#readyBy(`${name}-ready`, args, { atBoot, after });
    if (bootAddress === undefined) {
      const led = lead(this.machine);
      return [...led, wait(...led)];
    }
    const setUp = wait();
    return [setUp, ...lead(setUp)];
  }

  /** Moves the public addresses to the machine's interface from another one. */
  #leadTo(name: string, { publicIps = [], internetReady = [] }: LinuxHostArgs, own: Interface) {
    return (...after: pulumi.Resource[]) =>
      leadAddresses(name, { publicIps, internetReady, after, fromFormer: true }, own, this);
  }

  /** Runs the latest set-up script on a machine that booted with an earlier one. */
  #setUpAgain(name: string, args: LinuxHostArgs, { script }: Built, booted: readonly pulumi.Resource[]) {
    const { lifelong, bootAfter = [] } = args;
    return lifelong === undefined || script === undefined
      ? []
      : [this.#readyBy(name, args, { script, after: [...booted, ...bootAfter] })];
  }

  /**
   * The resource that waits for the machine's set-up, or that runs the script on it.
   * @param atBoot Temporary login address during it.
   * @default the later one
   */
  #readyBy(
    name: string,
    { sshKey, waitBy, jump, tags, setUpAfterBoot = false, ...args }: LinuxHostArgs,
    {
      script,
      atBoot,
      after = [],
    }: {
      readonly script?: pulumi.Output<string>;
      readonly atBoot?: Connection | undefined;
      readonly after?: readonly pulumi.Resource[];
    },
  ): pulumi.Resource {
    const { identity, machine } = this;
    const further = setUpAfterBoot === (script !== undefined) ? args.further : undefined;
    const opts = { parent: this, dependsOn: [...(jump?.ready ?? []), ...after] };
    switch (waitBy ?? (sshKey === undefined ? "nothing" : "login")) {
      case "login":
        return hostReady(
          name,
          { connection: atBoot ?? this.connection, identity, machine, script, further },
          atBoot === undefined ? opts : { ...opts, ignoreChanges: ["connection"] },
        );
      case "systems-manager":
        return managedReady(name, { identity, script, tags, further }, opts);
      case "nothing":
        return machine;
    }
  }

  /** An interface that is made before the machine and outlives it; with `addressLast` it is replaced with the machine. */
  #onOwnInterface(
    name: string,
    args: LinuxHostArgs,
    publicIps: readonly PublicIp[],
    securityGroups: pulumi.Input<pulumi.Input<string>[]>,
    hostKey: SshKeyPair,
  ): Built {
    const { internetReady = [], addressLast = false } = args;
    const image = imageOf(name, args, this);
    // Machine and group are separate resources: a change creates one before it deletes the other, so they cannot share an
    // interface. The same holds for a machine created before the former one is deleted.
    // A group whose machine is replaced on demand needs an interface that the group after it does not: its on-demand machine
    // may have it, and is ended last.
    const isWatched = args.options?.spot?.onDemandFallback !== undefined;
    const machineName = `${name}${isWatched ? "-spot" : !args.autoHeal && addressLast ? "-renewed" : ""}`;
    const interfaceName = `${args.autoHeal ? `${machineName}-healing` : machineName}-eni`;
    const renewedWith = addressLast ? machineWord(args, image, hostKey) : undefined;
    const own = networkInterface(interfaceName, { ...args, publicIps, securityGroups, renewedWith }, this);
    const leading = { ...args, publicIps, internetReady, after: [], fromFormer: false };
    const led = addressLast ? internetReady : leadAddresses(interfaceName, leading, own, this);
    const { script, ...boot } = bootOf(name, args, image, hostKey, own, this);
    // A group names its interface only in its template, which changes in place.
    const opts = { parent: this, dependsOn: [own.resource, ...led, ...(args.bootAfter ?? [])] };
    const addresses = {
      lead: addressLast ? this.#leadTo(interfaceName, args, own) : undefined,
      interfaceId: own.id,
      privateAddress: own.privateAddresses.apply(([primary]) => primary as string),
      secondaryAddress: own.privateAddresses.apply(([, secondary]) => secondary),
      publicAddress: publicIps[0]?.address,
    };
    if (args.autoHeal) {
      const healing = selfHealingInstance(
        machineName,
        { ...boot, subnetId: args.subnetId, own, renewed: addressLast },
        opts,
      );
      const { group, instanceId, zone } = healing;
      const creditMode = pulumi.output(undefined);
      return { ...addresses, machine: group, identity: instanceId, region: group.region, zone, creditMode };
    }
    const network = { primaryNetworkInterface: { networkInterfaceId: own.id } };
    // The interface says whether it checks source and destination; the provider would set it back to the instance's
    // default at each other update (hashicorp/terraform-provider-aws#44768).
    const machine = instance(
      machineName,
      { ...boot, network },
      { ...opts, ignoreChanges: ["sourceDestCheck"], deleteBeforeReplace: !addressLast },
    );
    return { ...addresses, script, machine, ...identityOf(machine, args.options) };
  }

  /** An interface that is part of the machine. */
  #onPassingInterface(
    name: string,
    args: LinuxHostArgs,
    securityGroups: pulumi.Input<pulumi.Input<string>[]>,
    hostKey: SshKeyPair,
  ): Built {
    const { ephemeralPublicIp = false, internetReady = [], bootAfter = [], addressLast = false } = args;
    const image = imageOf(name, args, this);
    const { script, ...boot } = bootOf(name, args, image, hostKey, undefined, this);
    const machine = instance(
      // Another name than a machine on its own interface: the provider would keep what it set for that one.
      addressLast ? `${name}-machine` : name,
      {
        ...boot,
        network: {
          subnetId: args.subnetId,
          vpcSecurityGroupIds: securityGroups,
          // The provider takes an Elastic IP that arrives later for an ephemeral one, and would see `false` as a change.
          associatePublicIpAddress: addressLast && !ephemeralPublicIp ? undefined : ephemeralPublicIp,
          privateIp: args.privateAddress,
          // Required for NAT: EC2 drops packets that are neither from nor to the machine's own addresses.
          sourceDestCheck: args.forwarding ? false : undefined,
        },
      },
      {
        parent: this,
        dependsOn: [...internetReady, ...bootAfter],
        // The address of the first boot no longer matters once the machine has its Elastic IP.
        ...(addressLast ? { deleteBeforeReplace: false, ignoreChanges: ["associatePublicIpAddress"] } : {}),
      },
    );
    const ephemeral = ephemeralPublicIp ? machine.publicIp : undefined;
    const privateAddresses = machine.privateIp.apply((address) => [address]);
    const own = { id: machine.primaryNetworkInterfaceId, privateAddresses };
    return {
      machine,
      script,
      ...identityOf(machine, args.options),
      privateAddress: machine.privateIp,
      ...(addressLast
        ? {
            interfaceId: own.id,
            lead: this.#leadTo(`${name}-eni`, args, own),
            publicAddress: args.publicIps?.[0]?.address,
            bootAddress: ephemeral,
          }
        : { publicAddress: ephemeral }),
    };
  }
}

function identityOf(machine: Instance, options: LinuxHostArgs["options"]) {
  const { region, availabilityZone, creditSpecification } = machine;
  const creditMode = creditSpecification.apply((credits) => credits?.cpuCredits);
  return { identity: idWithDisk(machine, options), region, zone: availabilityZone, creditMode };
}

/**
 * The burst budgets of an instance; null if none is known.
 * @param mode Credit mode of its CPU.
 * @throws {pulumi.InputPropertyError} where EC2 says that there is no such type.
 */
function burstOf(
  instanceType: pulumi.Input<string>,
  mode: pulumi.Output<string | undefined>,
  parent: pulumi.Resource,
): pulumi.Output<Burst | null> {
  const network = pulumi.output(instanceType).apply((type) => networkBurst(type, parent));
  return pulumi.all([instanceType, mode, network]).apply(([type, knownMode, knownNetwork]) => {
    const cpu = cpuBurst(type, knownMode);
    return cpu === null && knownNetwork === null ? null : { cpu, network: knownNetwork };
  });
}

/** The network's burst, asked of EC2. Without the permission to ask, it comes from the table of machine sizes. */
async function networkBurst(instanceType: string, parent: pulumi.Resource): Promise<Burst["network"]> {
  try {
    const { networkCards = [] } = await describedType(instanceType, parent);
    const total = (key: "baselineBandwidth" | "peakBandwidth") =>
      Math.round(1e9 * networkCards.reduce((sum, card) => sum + card[key], 0));
    return boundedRate(total("baselineBandwidth"), total("peakBandwidth"));
  } catch (error) {
    if (error instanceof pulumi.InputPropertyError) {
      throw error;
    }
    const known = machineOf(instanceType);
    if (known === null) {
      void pulumi.log.warn(
        `The network rate that ${instanceType} can sustain will not be in results: ${oneLine(error)}`,
        parent,
      );
    }
    return boundedRate(known?.network.baselineBitsPerSecond ?? 0, known?.network.peakBitsPerSecond ?? 0);
  }
}

/** The sustained and peak network rate; null if the type holds its peak or its rate is unknown. */
function boundedRate(baselineBitsPerSecond: number, peakBitsPerSecond: number): Burst["network"] {
  return baselineBitsPerSecond > 0 && baselineBitsPerSecond < peakBitsPerSecond
    ? { baselineBitsPerSecond, peakBitsPerSecond }
    : null;
}
