import * as pulumi from "@pulumi/pulumi";
import { checkArgs } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { architecture } from "./architecture.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { countPublicIps } from "./elastic-ip.ts";
import { publishedImage } from "./image.ts";
import type { LinuxHost } from "./linux-host.ts";
import { DEFAULT_NAT_TYPE, type FckNatArgs, fckNatSchema } from "./nat-args.ts";
import { natMachine } from "./nat-machine.ts";

/** The account that publishes fck-nat. Source: fck-nat.dev */
const OWNER = "568608671756";

/**
 * fck-nat on an instance whose address outlives it, like {@link NatInstance}'s. The image sets up NAT by
 * itself: an iptables masquerade, no flowtable. It is Amazon Linux 2023, which has sshd, Python and cloud-init; nothing
 * is added, since dnf may be killed for memory on a t4g.nano.
 *
 * Cost (USD, us-east-1, on demand): t4g.micro about 6.13 a month, t4g.nano about 3.07; 0.005 an hour an address.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const nat = new aws.FckNat("nat", {
 *   vpcId: vpc.id, subnetId: publicSubnet.id,
 *   privateRouteTableIds: [privateRoutes.id],
 *   privateCidrs: ["10.0.1.0/24"],
 *   instanceType: "t4g.nano",
 *   ssh,
 * });
 * ```
 */
export class FckNat extends pulumi.ComponentResource implements AwsEgress {
  readonly topology = "fck-nat";
  readonly host: LinuxHost;
  readonly attachment: AwsAttachment = {};
  readonly hosts: readonly LinuxHost[];
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: FckNatArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:FckNat", name, {}, opts);
    checkArgs("FckNat", fckNatSchema, args);
    const { observed = args.ssh !== undefined, imageName } = args;
    if (observed && args.ssh === undefined) {
      throw invalid(
        "observed",
        "a machine is observed by logging in to it; give ssh too, or leave observed out",
      );
    }
    const instanceType = args.instanceType ?? DEFAULT_NAT_TYPE;
    const newest = pulumi
      .output(instanceType)
      .apply((type) => `fck-nat-al2023-hvm-*-${architecture(type)}-ebs`);
    const machine = natMachine(
      name,
      args,
      countPublicIps(undefined, args.publicIps),
      {
        instanceType,
        adminUser: args.adminUser ?? "ec2-user",
        packages: [],
        // Without observation it is unknown whether the machine takes logins.
        ...(observed
          ? {}
          : { waitBy: args.iamInstanceProfile === undefined ? "nothing" : "systems-manager" }),
        unit: "fck-nat.service",
        findImage: (own, parent) => publishedImage(own, instanceType, OWNER, imageName ?? newest, parent),
      },
      this,
    );
    this.host = machine.host;
    this.hosts = observed ? [machine.host] : [];
    this.expectedSourceIps = machine.addresses;
    this.ready = [...machine.host.ready, ...machine.routes];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
