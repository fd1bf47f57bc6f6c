/** An instance's first boot: its image and user data. */
import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { firstUserData } from "../shared/first-user-data.ts";
import type { SshKeyPair } from "../shared/ssh-key-pair.ts";
import { givenImage, newestUbuntu, ubuntuImage } from "./image.ts";
import type { LinuxHostArgs } from "./linux-host-args.ts";
import { userData } from "./user-data.ts";

/** The image and user data of a host, and the set-up script that is in the latter. */
export function bootOf(
  name: string,
  args: LinuxHostArgs,
  hostKey: SshKeyPair,
  privateAddresses: pulumi.Output<string[]>,
  parent: pulumi.Resource,
) {
  const {
    instanceType,
    tags,
    packages,
    boot,
    unit,
    placementGroup,
    autoHeal = false,
    compressed,
    lifelong,
  } = args;
  const options = { placementGroup, ...args.options };
  const find =
    args.findImage ??
    ((own, parent) =>
      options.maximumLifetimeDays === undefined
        ? ubuntuImage(own, instanceType, parent)
        : newestUbuntu(instanceType));
  const image = args.image === undefined ? find(name, parent) : givenImage(args.image, instanceType, parent);
  const script = args.script?.(privateAddresses);
  const document = pulumi
    .all([hostKey.privateKey, hostKey.publicKey, args.sshKey?.publicKey, script, args.extraScript])
    .apply(([privateKey, publicKey, authorizedKey, text, extraScript]) =>
      userData(compressed, {
        hostKey: { privateKey, publicKey },
        authorizedKeys: authorizedKey === undefined ? [] : [authorizedKey],
        packages,
        ...boot,
        extraScript,
        powerOffWithout: autoHeal ? unit : undefined,
        ...(text === undefined ? {} : { script: text }),
      }),
    );
  const kept =
    lifelong === undefined
      ? document
      : firstUserData(name, document, firstBootOf(args, hostKey, lifelong), parent);
  return { instanceType, tags, image, userData: kept, options, compressed, script };
}

/** What only a first boot does, as one word. */
function firstBootOf(args: LinuxHostArgs, hostKey: SshKeyPair, lifelong: string): pulumi.Output<string> {
  const { packages, boot } = args;
  return pulumi
    .all([hostKey.publicKey, args.sshKey?.publicKey, args.extraScript])
    .apply((known) => JSON.stringify([...known, packages, boot, lifelong]))
    .apply((text) => createHash("sha256").update(text).digest("hex"));
}
