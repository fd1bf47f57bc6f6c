/**
 * A Linux instance that can be logged in to.
 *
 * @module
 */
import type { Instance } from "@pulumi/aws/ec2/instance.js";
import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Burst, Role } from "../../bench/results/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import type { Host } from "../shared/host.ts";
import { hostLogin } from "../shared/host-login.ts";
import { hostReady } from "../shared/host-ready.ts";
import { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { burstOf } from "./burst.ts";
import type { PublicIp } from "./common.ts";
import { givenImage, newestUbuntu, ubuntuImage } from "./image.ts";
import { type LinuxHostArgs, linuxHostSchema } from "./linux-host-args.ts";
import { instance } from "./machine.ts";
import { managedReady } from "./managed-ready.ts";
import { networkInterface } from "./network-interface.ts";
import { securityGroupsOf } from "./security-group.ts";
import { selfHealingInstance } from "./self-healing.ts";
import { userData } from "./user-data.ts";

const DEFAULT_ADMIN_USER = "ubuntu";

/** The machine and what AWS gave it. */
interface Built {
  readonly machine: pulumi.Resource;
  readonly identity: pulumi.Output<string>;
  readonly region: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
  readonly privateAddress: pulumi.Output<string>;
  readonly publicAddress: pulumi.Input<string> | undefined;
  /** State of its CPU credits; undefined where it has none, or a group hides them. */
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
  readonly #connection: pulumi.Output<types.input.remote.ConnectionArgs> | undefined;
  readonly dataAddress: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];
  readonly identity: pulumi.Output<string>;
  readonly machine: pulumi.Resource;
  readonly size: pulumi.Input<string>;
  readonly region: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
  readonly burst: pulumi.Output<Burst | null>;
  /** Where it is logged in to: directly, or from its jump host. */
  readonly loginAddress: pulumi.Output<string>;
  /** IPv4 address in its subnet, the primary one. */
  readonly privateAddress: pulumi.Output<string>;
  /** The interface that outlives the machine. Undefined without `publicIps`. */
  readonly interfaceId: pulumi.Output<string> | undefined;
  /** The interface's first private address beside the primary one. Undefined without `publicIps`. */
  readonly secondaryAddress: Built["secondaryAddress"];

  constructor(name: string, args: LinuxHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:LinuxHost", name, {}, opts);
    checkArgs("LinuxHost", linuxHostSchema, args);
    const hostKey = new SshKeyPair(`${name}-host-key`, { parent: this });
    const securityGroups = securityGroupsOf(`${name}-sg`, args, this);
    const { publicIps = [] } = args;
    const built =
      publicIps.length > 0
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
    this.#connection =
      args.sshKey &&
      hostLogin({
        host: this.loginAddress,
        user: args.adminUser ?? DEFAULT_ADMIN_USER,
        privateKey: args.sshKey.privateKey,
        hostKey: hostKey.publicKey,
        jump: args.jump,
      });
    this.ready = [this.#readyBy(`${name}-ready`, args)];
    this.registerOutputs({ dataAddress: this.dataAddress });
  }

  /** @throws {Error} where nobody may log in. */
  get connection(): pulumi.Output<types.input.remote.ConnectionArgs> {
    if (this.#connection === undefined) {
      throw new Error(`nobody may log in to ${this.name}; give its component ssh`);
    }
    return this.#connection;
  }

  #readyBy(name: string, { sshKey, waitBy, jump, tags, further }: LinuxHostArgs): pulumi.Resource {
    const { identity, machine } = this;
    const opts = { parent: this, dependsOn: [...(jump?.ready ?? [])] };
    switch (waitBy ?? (sshKey === undefined ? "nothing" : "login")) {
      case "login":
        return hostReady(name, { connection: this.connection, identity, machine, further }, opts);
      case "systems-manager":
        return managedReady(name, identity, { tags, further }, opts);
      case "nothing":
        return machine;
    }
  }

  /** An interface that is there before the machine, and after it. */
  #onOwnInterface(
    name: string,
    args: LinuxHostArgs,
    publicIps: readonly PublicIp[],
    securityGroups: pulumi.Input<pulumi.Input<string>[]>,
    hostKey: SshKeyPair,
  ): Built {
    const { forwarding = false, internetReady = [] } = args;
    // Machine and group are resources apart: a change makes the one before it ends the other, so they share no interface.
    const own = networkInterface(
      `${name}${args.autoHeal ? "-healing" : ""}-eni`,
      { ...args, publicIps, securityGroups, forwarding, internetReady },
      this,
    );
    const boot = this.#boot(name, args, hostKey, own.privateAddresses);
    const opts = { parent: this, dependsOn: [...own.associations, ...(args.bootAfter ?? [])] };
    const addresses = {
      interfaceId: own.id,
      privateAddress: own.privateAddresses.apply(([primary]) => primary as string),
      secondaryAddress: own.privateAddresses.apply(([, secondary]) => secondary),
      publicAddress: publicIps[0]?.address,
    };
    if (args.autoHeal) {
      const healing = selfHealingInstance(
        name,
        { ...boot, subnetId: args.subnetId, interfaceId: own.id },
        opts,
      );
      const { group, instanceId, zone } = healing;
      const creditMode = pulumi.output(undefined);
      return { ...addresses, machine: group, identity: instanceId, region: group.region, zone, creditMode };
    }
    const network = { primaryNetworkInterface: { networkInterfaceId: own.id } };
    // The interface says whether it checks source and destination; the provider would set it back to the instance's
    // default at each other update (hashicorp/terraform-provider-aws#44768).
    const machine = instance(name, { ...boot, network }, { ...opts, ignoreChanges: ["sourceDestCheck"] });
    return { ...addresses, machine, ...identityOf(machine) };
  }

  /** An interface that is part of the machine. */
  #onPassingInterface(
    name: string,
    args: LinuxHostArgs,
    securityGroups: pulumi.Input<pulumi.Input<string>[]>,
    hostKey: SshKeyPair,
  ): Built {
    const { ephemeralPublicIp = false, internetReady = [], bootAfter = [] } = args;
    const machine = instance(
      name,
      {
        ...this.#boot(name, args, hostKey, pulumi.output([])),
        network: {
          subnetId: args.subnetId,
          vpcSecurityGroupIds: securityGroups,
          associatePublicIpAddress: ephemeralPublicIp,
          ...(args.privateAddress === undefined ? {} : { privateIp: args.privateAddress }),
        },
      },
      { parent: this, dependsOn: [...internetReady, ...bootAfter] },
    );
    return {
      machine,
      ...identityOf(machine),
      privateAddress: machine.privateIp,
      publicAddress: ephemeralPublicIp ? machine.publicIp : undefined,
    };
  }

  #boot(name: string, args: LinuxHostArgs, hostKey: SshKeyPair, privateAddresses: pulumi.Output<string[]>) {
    const { instanceType, tags, packages, boot, unit, placementGroup, autoHeal = false, compressed } = args;
    const options = { placementGroup, ...args.options };
    const find =
      args.findImage ??
      ((own, parent) =>
        options.maximumLifetimeDays === undefined
          ? ubuntuImage(own, instanceType, parent)
          : newestUbuntu(instanceType));
    const image = args.image === undefined ? find(name, this) : givenImage(args.image, instanceType, this);
    const document = pulumi
      .all([
        hostKey.privateKey,
        hostKey.publicKey,
        args.sshKey?.publicKey,
        args.script?.(privateAddresses),
        args.extraScript,
      ])
      .apply(([privateKey, publicKey, authorizedKey, script, extraScript]) =>
        userData(compressed, {
          hostKey: { privateKey, publicKey },
          authorizedKeys: authorizedKey === undefined ? [] : [authorizedKey],
          packages,
          ...boot,
          extraScript,
          powerOffWithout: autoHeal ? unit : undefined,
          ...(script === undefined ? {} : { script }),
        }),
      );
    return { instanceType, tags, image, userData: document, options, compressed };
  }
}

function identityOf({ id, region, availabilityZone, creditSpecification }: Instance) {
  const creditMode = creditSpecification.apply((credits) => credits?.cpuCredits);
  return { identity: id, region, zone: availabilityZone, creditMode };
}
