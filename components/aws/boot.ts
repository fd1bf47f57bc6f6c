/** An instance's first boot: its image and user data. */
import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { firstUserData } from "../shared/first-found.ts";
import type { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { givenImage, type Image, newestUbuntu, ubuntuImage } from "./image.ts";
import type { LinuxHostArgs } from "./linux-host-args.ts";
import type { Interface } from "./network-interface.ts";
import { userData } from "./user-data.ts";

export function imageOf(name: string, args: LinuxHostArgs, parent: pulumi.Resource): Image {
  const { instanceType, options } = args;
  const find =
    args.findImage ??
    ((own, parent) =>
      options?.maximumLifetimeDays === undefined
        ? ubuntuImage(own, instanceType, parent)
        : newestUbuntu(instanceType));
  return args.image === undefined ? find(name, parent) : givenImage(args.image, instanceType, parent);
}

/**
 * The user data of a host, and the set-up script that is in it.
 * @param own Its interface, where that is a resource of its own.
 */
export function bootOf(
  name: string,
  args: LinuxHostArgs,
  image: Image,
  hostKey: SshKeyPair,
  own: Interface | undefined,
  parent: pulumi.Resource,
) {
  const { instanceType, tags, packages, boot, unit, placementGroup, compressed, lifelong } = args;
  const options = { placementGroup, ...args.options };
  const script = args.script?.(own?.privateAddresses ?? pulumi.output([]));
  const atBoot = args.setUpAfterBoot ? undefined : script;
  const places = pulumi.output(own === undefined ? [] : [own.id]);
  const document = pulumi
    .all([hostKey.privateKey, hostKey.publicKey, args.sshKey?.publicKey, atBoot, args.extraScript])
    .apply(([privateKey, publicKey, authorizedKey, text, extraScript]) =>
      userData(compressed, {
        hostKey: { privateKey, publicKey },
        authorizedKeys: authorizedKey === undefined ? [] : [authorizedKey],
        packages,
        ...boot,
        extraScript,
        powerOffWithout: args.autoHeal ? unit : undefined,
        ...(text === undefined ? {} : { script: text }),
      }),
    );
  const born = lifelong === undefined ? undefined : firstBootOf(args, hostKey, lifelong, places);
  const kept = born === undefined ? document : firstUserData(name, document, born, parent);
  // User data without the set-up stays the same, whatever the machine keeps for life.
  const replacementTrigger = args.setUpAfterBoot ? born : undefined;
  return { instanceType, tags, image, userData: kept, options, compressed, script, replacementTrigger };
}

/** A digest of what only a first boot does. */
function firstBootOf(
  args: LinuxHostArgs,
  hostKey: SshKeyPair,
  script: pulumi.Input<string>,
  more: pulumi.Output<unknown[]>,
): pulumi.Output<string> {
  const { packages, boot } = args;
  return pulumi
    .all([hostKey.publicKey, args.sshKey?.publicKey, args.extraScript, script, more])
    .apply(([key, login, extra, text, others]) =>
      JSON.stringify([key, login, extra, packages, boot, text, ...others]),
    )
    .apply((text) => createHash("sha256").update(text).digest("hex"));
}

/**
 * Everything whose change replaces the machine, as one string: EC2 changes none of it in place, nor does a group's launch
 * template. The machine's own addresses are left out: they come with its own interface.
 */
export function machineWord(args: LinuxHostArgs, image: Image, hostKey: SshKeyPair): pulumi.Output<string> {
  const { publicIps = [], options, placementGroup, compressed, instanceType, tags, unit } = args;
  const addresses = publicIps.map((_, index) => `192.0.2.${index + 1}`);
  const script = args.lifelong ?? args.script?.(pulumi.output(addresses)) ?? "";
  const ofGroup = args.autoHeal ? [instanceType, tags, unit, options] : [];
  const more = [
    image.ami,
    placementGroup,
    compressed,
    options?.volume?.kmsKeyId,
    options?.keyName,
    ...ofGroup,
  ];
  return pulumi.unsecret(firstBootOf(args, hostKey, script, pulumi.output(more)));
}
