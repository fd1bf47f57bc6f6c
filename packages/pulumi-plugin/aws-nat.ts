import * as pulumi from "@pulumi/pulumi";
import * as aws from "egress-bench/aws";
import type { leftOut, Passed } from "./left-out";
import { type ForwardingInputs, type NatInputs, natOptions } from "./nat-options";
import { optionalKey, optionalSshOf } from "./ssh";

/** CPU credit mode of a T type. */
enum AwsCreditMode {
  /** Slowed down when credits run out. */
  Standard = "standard",
  /** Billed beyond the earned credits. */
  Unlimited = "unlimited",
}

/** An Elastic IP that exists. */
export interface AwsElasticIp {
  /** Allocation id, such as eipalloc-0123456789abcdef0. */
  allocationId: pulumi.Input<string>;
  /** IPv4 address. */
  address: pulumi.Input<string>;
}

/** Elastic IPs in the library's form. Each is an input, because Go's SDK has no lists of plain items with inputs. */
export function elasticIpsOf(given: pulumi.Input<AwsElasticIp>[] | undefined) {
  return given?.map((one) => {
    const { allocationId, address } = pulumi.output(one);
    return { id: allocationId, address };
  });
}

/** Flat arguments that both kinds share. */
interface AwsNatMachineArgs {
  /** VPC of the instance. */
  vpcId: pulumi.Input<string>;
  /** Public subnet of the instance: its route table leads 0.0.0.0/0 to an internet gateway. */
  subnetId: pulumi.Input<string>;
  /** Route table of that subnet, to have it checked at preview. Default: not checked. */
  publicRouteTableId?: pulumi.Input<string>;
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the instance. */
  privateRouteTableIds: pulumi.Input<string>[];
  /** Instance profile; with the policy AmazonSSMManagedInstanceCore Session Manager can log in. Default: none. */
  iamInstanceProfile?: pulumi.Input<string>;
  /** Security groups beside its own. Default: none. */
  securityGroupIds?: pulumi.Input<string>[];
  /** Instance type, Arm or x86. Default: t4g.micro. */
  instanceType?: pulumi.Input<string>;
  /** Placement group, by its name. Default: none. */
  placementGroup?: pulumi.Input<string>;
  /** Size of the root disk, in GiB. Default: the image's. */
  volumeSizeGib?: pulumi.Input<number>;
  /** KMS key of the root disk, by its ARN. Default: the account's key. */
  volumeKmsKeyId?: pulumi.Input<string>;
  /** Script, with its #! line, that runs as root after the machine's own set-up. Default: none. */
  extraScript?: pulumi.Input<string>;
  /** Credits of a T type. Default: the account's choice. */
  creditMode?: AwsCreditMode;
  /** Elastic IPs that exist already. Default: new ones. */
  elasticIps?: pulumi.Input<AwsElasticIp>[];
  /** Whether another machine replaces a failed one. Default: false. */
  autoHeal?: boolean;
  /** With autoHeal, days after which the machine is replaced, 1 to 365. Default: never. */
  maximumLifetimeDays?: number;
  /** With autoHeal, whether to use spot instances. Default: false. */
  spot?: boolean;
  /** Instance types beside the first one that spot instances may have. Default: none. */
  spotInstanceTypes?: pulumi.Input<string>[];
  /** Hour of the day, UTC, at which spot is tried again after on-demand replaced it. Default: on-demand never does. */
  spotRetryHourUtc?: number;
  /** Tags of the resources, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** Flat arguments of AWS's NatInstance. */
export interface AwsNatInstanceArgs extends AwsNatMachineArgs, NatInputs {
  /** Image, of the type's architecture, by its id. Default: Ubuntu 24.04, kept as it was first found. */
  image?: pulumi.Input<string>;
  /** Default user of that image. Default: ubuntu. */
  adminUser?: pulumi.Input<string>;
  /** Public addresses, 1 to the most of an interface of the instance type. Default: 1. */
  publicIpCount?: number;
  /** Whether a second machine stands by and takes over with the connections. Default: false. */
  highAvailability?: boolean;
}

/** A NAT instance: one Linux machine with an nftables masquerade, behind an interface that outlives it. */
export class AwsNatInstance extends pulumi.ComponentResource {
  /** Forwarding interface, for your own route tables; empty for a pair, which has two. */
  readonly networkInterfaceId: pulumi.Output<string>;
  /** Public addresses that servers see. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key; empty without a login. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AwsNatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsNatInstance", name, {}, opts);
    const ssh = optionalSshOf(name, args, this);
    const { vpcId, subnetId, publicRouteTableId, privateRouteTableIds, privateCidrs, instanceType } = args;
    const passed: Passed<aws.NatInstanceArgs, typeof leftOut.AwsNatInstance> = {
      ...{ vpcId, subnetId, publicRouteTableId, privateRouteTableIds, privateCidrs, instanceType },
      ...machineOptions(args),
      ssh,
      publicIpCount: args.publicIpCount,
      highAvailability: args.highAvailability ? {} : undefined,
      nat: natOptions(args),
    };
    const nat = new aws.NatInstance(name, passed, { parent: this });
    this.networkInterfaceId = args.highAvailability ? pulumi.output("") : nat.networkInterfaceId;
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = optionalKey(ssh);
    this.registerOutputs({ networkInterfaceId: this.networkInterfaceId, publicIps: this.publicIps });
  }
}

/** Flat arguments of AWS's FckNat. */
export interface AwsFckNatArgs extends AwsNatMachineArgs, ForwardingInputs {
  /** Image of the type's architecture, by its id. Default: the image of imageName. */
  image?: pulumi.Input<string>;
  /** Image by its name; image takes precedence. Default: the newest release of the instance type's architecture. */
  imageName?: pulumi.Input<string>;
  /** Default user of that image. Default: ec2-user. */
  adminUser?: pulumi.Input<string>;
}

/** A NAT instance of the fck-nat image, behind an interface that outlives it. */
export class AwsFckNat extends pulumi.ComponentResource {
  /** Public addresses that servers see. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key; empty without a login. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AwsFckNatArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsFckNat", name, {}, opts);
    const ssh = optionalSshOf(name, args, this);
    const { vpcId, subnetId, publicRouteTableId, privateRouteTableIds, privateCidrs, instanceType } = args;
    const passed: Passed<aws.FckNatArgs, typeof leftOut.AwsFckNat> = {
      ...{ vpcId, subnetId, publicRouteTableId, privateRouteTableIds, privateCidrs, instanceType },
      ...machineOptions(args),
      ssh,
      imageName: args.imageName,
    };
    const nat = new aws.FckNat(name, passed, { parent: this });
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = optionalKey(ssh);
    this.registerOutputs({ publicIps: this.publicIps });
  }
}

/**
 * Arguments that both kinds share beside their place, in the library's form. @throws {pulumi.InputPropertyError} for an
 * incomplete option
 */
function machineOptions(args: AwsNatMachineArgs & Pick<AwsFckNatArgs, "image" | "adminUser">) {
  const { iamInstanceProfile, securityGroupIds, image, adminUser, placementGroup, extraScript } = args;
  const { creditMode, autoHeal, maximumLifetimeDays, tags, volumeSizeGib, volumeKmsKeyId } = args;
  return {
    ...{ iamInstanceProfile, securityGroupIds, image, adminUser, placementGroup, extraScript },
    ...{ creditMode, autoHeal, maximumLifetimeDays, tags },
    publicIps: elasticIpsOf(args.elasticIps),
    volume:
      volumeSizeGib === undefined && volumeKmsKeyId === undefined
        ? undefined
        : { sizeGib: volumeSizeGib, kmsKeyId: volumeKmsKeyId },
    spot: spotOf(args),
  };
}

function spotOf({ spot = false, spotInstanceTypes, spotRetryHourUtc }: AwsNatMachineArgs) {
  const given = { spotInstanceTypes, spotRetryHourUtc };
  for (const [propertyPath, value] of Object.entries(given)) {
    if (value !== undefined && !spot) {
      const reason = "is for spot instances only; set spot too, or leave it out";
      throw new pulumi.InputPropertyError({ propertyPath, reason });
    }
  }
  const retry = spotRetryHourUtc === undefined ? undefined : { retryHourUtc: spotRetryHourUtc };
  return spot ? { instanceTypes: spotInstanceTypes, onDemandFallback: retry } : undefined;
}
