import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { roleSchema } from "../../bench/results/index.ts";
import { functionOf, objectOf, optionalFlag, resources, text } from "../shared/args-schema.ts";
import type { CloudConfigArgs } from "../shared/cloud-init.ts";
import type { Host } from "../shared/host.ts";
import { keyPairSchema } from "../shared/host-login.ts";
import type { FurtherWait } from "../shared/host-ready.ts";
import { awsShape, ids, machineShape, publicIpSchema } from "./common.ts";
import type { Image } from "./image.ts";
import type { MachineOptions } from "./machine.ts";
import type { IngressRule } from "./security-group.ts";

export const linuxHostSchema = z.strictObject({
  ...awsShape,
  ...machineShape,
  role: roleSchema,
  /** VPC of its security group. */
  vpcId: text,
  /** Subnet of its network interface. */
  subnetId: text,
  /** Traffic that may reach it; nothing else does. */
  rules: z.array(objectOf<IngressRule>("a rule")).readonly(),
  /** Public addresses; the machine gets an interface that outlives it, with these. @default none */
  publicIps: z.array(publicIpSchema).readonly().optional(),
  /**
   * With `publicIps`: addresses move to a new machine before the former one is deleted with its interface. A single address
   * moves once the new machine is set up; several, and those of a group, as soon as it runs.
   * @default false
   */
  addressLast: optionalFlag,
  /**
   * The part of the set-up script whose changes replace the machine, as text. Any other change runs on the live machine, if
   * the end can be awaited. Not with `autoHeal`.
   * @default every change of the script replaces the machine
   */
  lifelong: text.optional(),
  /**
   * Whether the set-up script runs once the machine is reached as `waitBy` says, before `further` is waited for: user data has
   * no room for a pair's.
   * @default false: at the first boot
   */
  setUpAfterBoot: optionalFlag,
  /** A public address that lives as long as the machine and takes none of the account's few Elastic IPs. @default false */
  ephemeralPublicIp: optionalFlag,
  /** @default AWS's choice */
  privateAddress: text.optional(),
  /** Whether it accepts packets for other addresses. @default false */
  forwarding: optionalFlag,
  /** With `publicIps` only: another machine takes the interface over when this one fails. @default false */
  autoHeal: optionalFlag,
  /**
   * One of two machines that stand in for each other: addresses move. `spare`: it holds a private address for the one to
   * come.
   * @default false
   */
  addressesMove: z.union([z.boolean(), z.literal("spare")]).optional(),
  /** With `publicIps` only: resources that exist before its interface and are deleted after it. @default none */
  interfaceAfter: resources.optional(),
  /** Whether its user data is compressed when too long for EC2. @default false */
  compressed: optionalFlag,
  /** @default Ubuntu */
  findImage: functionOf<(name: string, parent: pulumi.Resource) => Image>().optional(),
  /** Debian packages. */
  packages: z.array(z.string()).readonly(),
  /** Set-up script, run as root at the first boot; gets the private addresses, the primary one first. @default none */
  script: functionOf<(privateAddresses: pulumi.Output<string[]>) => pulumi.Output<string>>().optional(),
  /** The owner's script, run as root after the set-up. @default none */
  extraScript: text.optional(),
  /** When and with what the set-up runs. @default after the packages */
  boot: objectOf<Pick<CloudConfigArgs, "earlyWith" | "kernelModule" | "packageSources">>(
    "an object",
  ).optional(),
  /** With `autoHeal`: the systemd unit whose failure makes another machine take over. @default none */
  unit: z.string().optional(),
  /** The login key. @default no logins */
  sshKey: keyPairSchema.optional(),
  /**
   * How the end of its set-up is detected; with `nothing` it counts as ready when it runs.
   * @default login where there is a key
   */
  waitBy: z.enum(["login", "systems-manager", "nothing"]).optional(),
  /** Further resources that `ready` waits for. @default none */
  further: objectOf<FurtherWait>("an object").optional(),
  /** The root disk, credits and instance profile. @default the image's and the account's own */
  options: objectOf<MachineOptions>("an object").optional(),
  /** Security groups beside its own. @default none */
  securityGroupIds: ids.optional(),
  /** Jump host, where the machine has no public address. @default none */
  jump: objectOf<Host>("a LinuxHost", "connection").optional(),
  /** Resources that must exist before a public address can be used. @default none */
  internetReady: resources.optional(),
  /** Resources that must exist before the machine boots: its way out. @default none */
  bootAfter: resources.optional(),
  /** @default the primary private address */
  dataAddress: text.optional(),
});

/** The machine, its place in the network, and the commands of its first boot. */
export interface LinuxHostArgs extends Readonly<z.infer<typeof linuxHostSchema>> {}
