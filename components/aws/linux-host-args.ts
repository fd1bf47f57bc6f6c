/** Arguments of a Linux instance. */
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type Role, roleSchema } from "../../bench/results/index.ts";
import { functionOf, objectOf, optionalFlag, resources, schemaOf, text } from "../shared/args-schema.ts";
import type { CloudConfigArgs } from "../shared/cloud-init.ts";
import type { Host } from "../shared/host.ts";
import { keyPairSchema, type SshArgs } from "../shared/host-login.ts";
import type { FurtherWait } from "../shared/host-ready.ts";
import { type AwsArgs, awsShape, type Ids, ids, type PublicIp, publicIpSchema } from "./common.ts";
import type { Image } from "./image.ts";
import { type MachineArgs, type MachineOptions, machineShape } from "./machine.ts";
import type { IngressRule } from "./security-group.ts";

/** The machine, its place in the network, and the commands of its first boot. */
export interface LinuxHostArgs extends AwsArgs, MachineArgs {
  /** Its role in a benchmark. */
  readonly role: Role;
  /** VPC of its security group. */
  readonly vpcId: pulumi.Input<string>;
  /** Subnet of its network interface. */
  readonly subnetId: pulumi.Input<string>;
  /** Traffic that may reach it; nothing else does. */
  readonly rules: readonly IngressRule[];
  /** The machine gets an interface that outlives it, with these addresses. @default none */
  readonly publicIps?: readonly PublicIp[] | undefined;
  /**
   * With `publicIps`: they move to a new machine, and then the former machine goes, with its interface. One address moves once the
   * new machine is set up; several, and those of a group, as soon as it runs. @default false
   */
  readonly addressLast?: boolean | undefined;
  /**
   * The part of the set-up script whose changes replace the machine, as text. Any other change runs on the live machine, if
   * that can be waited for. Not with `autoHeal`. @default every change of the script replaces the machine
   */
  readonly lifelong?: string | undefined;
  /** A public address that comes and goes with the machine and needs no Elastic IP of the account's few. @default false */
  readonly ephemeralPublicIp?: boolean | undefined;
  /** @default AWS's choice */
  readonly privateAddress?: pulumi.Input<string> | undefined;
  /** Whether it takes packets that are not for it. @default false */
  readonly forwarding?: boolean | undefined;
  /** With `publicIps` only: another machine takes the interface over when this one fails. @default false */
  readonly autoHeal?: boolean | undefined;
  /** One of two that stand in for each other: addresses move. `spare`: it has a private one for what comes. @default false */
  readonly addressesMove?: boolean | "spare" | undefined;
  /** With `publicIps` only: what exists before its interface, and after it is deleted. @default none */
  readonly interfaceAfter?: readonly pulumi.Resource[] | undefined;
  /** Whether its user data may be too long as it is. @default false */
  readonly compressed?: boolean | undefined;
  /** @default Ubuntu */
  readonly findImage?: ((name: string, parent: pulumi.Resource) => Image) | undefined;
  /** Debian packages. */
  readonly packages: readonly string[];
  /** Set-up script, run as root at the first boot; gets the private addresses, the primary one first. @default none */
  readonly script?: ((privateAddresses: pulumi.Output<string[]>) => pulumi.Output<string>) | undefined;
  /** The owner's own, run as root after it. @default none */
  readonly extraScript?: pulumi.Input<string> | undefined;
  /** When and with what it runs. @default after the packages */
  readonly boot?: Pick<CloudConfigArgs, "earlyWith" | "kernelModule" | "packageSources"> | undefined;
  /** With `autoHeal`: the systemd unit whose failure makes another machine take over. @default none */
  readonly unit?: string | undefined;
  /** The key whose holder may log in. @default nobody */
  readonly sshKey?: SshArgs["key"] | undefined;
  /** How the end of its set-up is learned; with `nothing` it counts as ready when it runs. @default login where there is a key */
  readonly waitBy?: "login" | "systems-manager" | "nothing" | undefined;
  /** Further resources that `ready` waits for. @default none */
  readonly further?: FurtherWait | undefined;
  /** The root disk, credits and instance profile. @default the image's and the account's own */
  readonly options?: MachineOptions | undefined;
  /** Beside its own. @default none */
  readonly securityGroupIds?: Ids | undefined;
  /** How it is reached where it has no public address. @default none */
  readonly jump?: Host | undefined;
  /** Resources that must exist before a public address can be used. @default none */
  readonly internetReady?: readonly pulumi.Resource[] | undefined;
  /** Resources that must exist before the machine boots: its way out. @default none */
  readonly bootAfter?: readonly pulumi.Resource[] | undefined;
  /** @default the primary private address */
  readonly dataAddress?: pulumi.Input<string> | undefined;
}

/** Schema of {@link LinuxHostArgs}. */
export const linuxHostSchema = schemaOf<LinuxHostArgs>({
  ...awsShape,
  ...machineShape,
  role: roleSchema,
  vpcId: text,
  subnetId: text,
  rules: z.array(objectOf<IngressRule>("a rule")),
  publicIps: z.array(publicIpSchema).optional(),
  addressLast: optionalFlag,
  lifelong: z.string().optional(),
  ephemeralPublicIp: optionalFlag,
  privateAddress: text.optional(),
  forwarding: optionalFlag,
  autoHeal: optionalFlag,
  addressesMove: z.union([z.boolean(), z.literal("spare")]).optional(),
  interfaceAfter: resources.optional(),
  compressed: optionalFlag,
  findImage: functionOf<NonNullable<LinuxHostArgs["findImage"]>>().optional(),
  packages: z.array(z.string()),
  script: functionOf<NonNullable<LinuxHostArgs["script"]>>().optional(),
  extraScript: text.optional(),
  boot: objectOf<NonNullable<LinuxHostArgs["boot"]>>("an object").optional(),
  unit: z.string().optional(),
  sshKey: keyPairSchema.optional(),
  waitBy: z.enum(["login", "systems-manager", "nothing"]).optional(),
  further: objectOf<FurtherWait>("an object").optional(),
  options: objectOf<MachineOptions>("an object").optional(),
  securityGroupIds: ids.optional(),
  jump: objectOf<Host>("a LinuxHost", "connection").optional(),
  internetReady: resources.optional(),
  bootAfter: resources.optional(),
  dataAddress: text.optional(),
});
