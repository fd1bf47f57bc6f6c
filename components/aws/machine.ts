import { getInstance } from "@pulumi/aws/ec2/getInstance.js";
import { Instance, type InstanceArgs } from "@pulumi/aws/ec2/instance.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { gzipBase64 } from "../shared/gzip.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { type AwsArgs, tagsOf } from "./common.ts";
import type { Image } from "./image.ts";
import type { NatMachineArgs } from "./nat-args.ts";

export interface BootArgs extends AwsArgs {
  readonly instanceType: pulumi.Input<string>;
  readonly image: Image;
  /** The first boot's user data. Holds the host's private key. */
  readonly userData: pulumi.Output<string>;
  /** Whether the user data may exceed EC2's limit before compression. @default false */
  readonly compressed?: boolean | undefined;
  readonly options?: MachineOptions | undefined;
  /** Text whose change replaces the instance, beside what EC2 changes in no running one. @default none */
  readonly replacementTrigger?: pulumi.Output<string> | undefined;
}

/** Further settings of an EC2 instance. The root disk is always encrypted. */
export interface MachineOptions
  extends Pick<
    NatMachineArgs,
    | "iamInstanceProfile"
    | "keyName"
    | "creditMode"
    | "placementGroup"
    | "spot"
    | "maximumLifetimeDays"
    | "volume"
  > {
  /** A spot instance instead of a group of one. It ends when EC2 takes it back. @default on demand */
  readonly onSpot?: boolean | undefined;
  /** For a group of one: how long a machine keeps running after its termination is announced. @default not at all */
  readonly terminationDelaySeconds?: number | undefined;
}

/** An instance with an encrypted disk that answers IMDSv2 only. */
export function instance(
  name: string,
  args: BootArgs & { readonly network: InstanceArgs },
  opts: pulumi.CustomResourceOptions,
): Instance {
  const { iamInstanceProfile, keyName, placementGroup, onSpot = false, volume } = args.options ?? {};
  // A refusal in the trigger must reach an input too: the SDK waits for ever for a trigger that fails alone.
  const userData = pulumi.all([args.userData, args.replacementTrigger]).apply(([text]) => text);
  // The provider plans nothing where one of these goes: it takes what the machine has for the default.
  const forLife = { keyName, placementGroup, kmsKeyId: volume?.kmsKeyId, onSpot: onSpot || undefined };
  const given = Object.entries(forLife).flatMap(([input, value]) => (value === undefined ? [] : ` ${input}`));
  return new Instance(
    name,
    {
      ...args.network,
      ami: args.image.ami,
      instanceType: args.instanceType,
      ...(args.compressed
        ? { userDataBase64: pulumi.secret(userData.apply(gzipBase64)) }
        : { userData: pulumi.secret(userData) }),
      // cloud-init reads it at the first boot only.
      userDataReplaceOnChange: true,
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      rootBlockDevice: { encrypted: true, ...volumeOf(args.options) },
      iamInstanceProfile,
      keyName,
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
      replacementTrigger: pulumi.interpolate`${args.replacementTrigger ?? ""}${given.join("")}`,
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

/**
 * A machine's id, refused for a disk smaller than the present one: EC2 only enlarges disks. A machine that is being
 * replaced has no id at preview, and may get a smaller disk.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function idWithDisk(machine: Instance, { volume }: MachineOptions = {}): pulumi.Output<string> {
  if (volume?.sizeGib === undefined) {
    return machine.id;
  }
  return checkedAtPreview(
    pulumi.all([machine.id, volume.sizeGib, machine.urn]),
    async ([instanceId, wanted, urn]) => {
      const { rootBlockDevices } = await getInstance({ instanceId }, { parent: machine });
      return { wanted, urn, has: rootBlockDevices[0]?.volumeSize ?? wanted };
    },
    ({ wanted, urn, has }) => {
      if (wanted < has) {
        throw invalid(
          "volume.sizeGib",
          `${wanted} is less than the disk's ${has} GiB, and EC2 cannot shrink a disk; keep ${has}, or replace the machine: pulumi up --replace '${urn}'`,
        );
      }
    },
  ).apply(([id]) => id);
}
