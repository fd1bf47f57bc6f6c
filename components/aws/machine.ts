import { Instance, type InstanceArgs } from "@pulumi/aws/ec2/instance.js";
import * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, text } from "../shared/args-schema.ts";
import { type AwsArgs, tagsOf } from "./common.ts";
import type { Image } from "./image.ts";
import type { NatMachineArgs } from "./nat-args.ts";
import { inGzip } from "./user-data.ts";

/** Schemas of {@link MachineArgs}. */
export const machineShape = {
  /** Such as `c7g.8xlarge`. Passed through to AWS; its name tells the architecture. */
  instanceType: text,
  /** Id of an image of the instance type's architecture. @default Ubuntu 24.04, kept as it was first found */
  image: text.optional(),
  /** The image's default user. @default ubuntu */
  adminUser: text.optional(),
  /** Name of a placement group. T types go into none of strategy `cluster`. @default none */
  placementGroup: text.optional(),
};

/** A machine's settings, except for its place in the network. */
export interface MachineArgs extends ArgsOf<typeof machineShape> {}

/** A machine's image and disk. */
export interface BootArgs extends AwsArgs {
  readonly instanceType: pulumi.Input<string>;
  readonly image: Image;
  /** The first boot's user data. Holds the host's private key. */
  readonly userData: pulumi.Output<string>;
  /** Whether the user data may exceed EC2's limit before compression. @default false */
  readonly compressed?: boolean | undefined;
  readonly options?: MachineOptions | undefined;
}

/** Further settings of an EC2 instance. */
export interface MachineOptions {
  /** Name of an instance profile, such as one that Session Manager needs. @default none */
  readonly iamInstanceProfile?: pulumi.Input<string> | undefined;
  /** CPU credits of T types: `unlimited` is billed beyond the earned credits, `standard` slowed down. @default the account's */
  readonly creditMode?: pulumi.Input<"standard" | "unlimited"> | undefined;
  /** Name of a placement group. @default none */
  readonly placementGroup?: pulumi.Input<string> | undefined;
  /** Spot settings of a group of one. @default on demand */
  readonly spot?: NatMachineArgs["spot"];
  /** A spot instance instead of a group of one. It ends when EC2 takes it back. @default on demand */
  readonly onSpot?: boolean | undefined;
  /** Days after which a group of one replaces its machine. @default never */
  readonly maximumLifetimeDays?: number | undefined;
  /** For a group of one: how long a machine keeps running after its termination is announced. @default not at all */
  readonly terminationDelaySeconds?: number | undefined;
  /** The root disk: always encrypted. @default the image's size, the account's key */
  readonly volume?: NatMachineArgs["volume"];
}

/** An instance with an encrypted disk that answers IMDSv2 only. */
export function instance(
  name: string,
  args: BootArgs & { readonly network: InstanceArgs },
  opts: pulumi.CustomResourceOptions,
): Instance {
  const { iamInstanceProfile, placementGroup, onSpot = false } = args.options ?? {};
  return new Instance(
    name,
    {
      ...args.network,
      ami: args.image.ami,
      instanceType: args.instanceType,
      ...(args.compressed
        ? { userDataBase64: pulumi.secret(args.userData.apply(inGzip)) }
        : { userData: pulumi.secret(args.userData) }),
      // cloud-init reads it at the first boot only.
      userDataReplaceOnChange: true,
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      rootBlockDevice: { encrypted: true, ...volumeOf(args.options) },
      iamInstanceProfile,
      creditSpecification: creditsOf(args.options),
      instanceMarketOptions: onSpot
        ? { marketType: "spot", spotOptions: { spotInstanceType: "one-time" } }
        : undefined,
      placementGroup,
      tags: tagsOf(name, args),
      // The instance's tags do not reach its disk.
      volumeTags: tagsOf(name, args),
    },
    {
      // An interface, or a private address, is in one machine at a time.
      deleteBeforeReplace: true,
      ...opts,
      // EC2 cannot stop a one-time spot instance, which a new type would need.
      ...(onSpot ? { replaceOnChanges: ["instanceType"] } : {}),
    },
  );
}

/** The root disk, as an instance and a launch template name it. */
export function volumeOf({ volume = {} }: MachineOptions = {}) {
  return { volumeSize: volume.sizeGib, kmsKeyId: volume.kmsKeyId };
}

/** Billing mode of CPU credits, where it is chosen. */
export function creditsOf({ creditMode }: MachineOptions = {}) {
  return creditMode === undefined ? undefined : { cpuCredits: creditMode };
}
