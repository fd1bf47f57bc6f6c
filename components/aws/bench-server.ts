import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { testPorts } from "../../bench/tools/ports.ts";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import type { ExtraClient } from "../shared/bench-pair.ts";
import { rolePackages } from "../shared/cloud-init.ts";
import { detached } from "../shared/detached.ts";
import { sourcesOf } from "../shared/egress.ts";
import { sshArgsSchema } from "../shared/host-login.ts";
import { machineShape, publicSubnetShape } from "./common.ts";
import type { AwsEgress } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";
import { LinuxHost } from "./linux-host.ts";
import { publicSubnetId } from "./routes.ts";
import { portRules, sshRules } from "./security-group.ts";

/** A path that ends at a server. */
export interface ServerPath {
  /** The way out whose addresses the server admits. */
  readonly egress: AwsEgress;
  /** Further clients beside the egress's first. @default none */
  readonly extraClients?: readonly Pick<ExtraClient, "expectedSourceIps">[] | undefined;
}

const benchServerSchema = z.strictObject({
  ...publicSubnetShape,
  ...machineShape,
  /** Login key and the addresses that may log in. */
  ssh: sshArgsSchema,
  /**
   * The paths that end here. Test ports are open to their source addresses only. A security group holds 60 rules, and each
   * address takes two.
   */
  paths: z.array(objectOf<ServerPath>("{ egress }", "egress")).readonly(),
});

/** A server's size, its place in the network, and who may send tests to it. */
export interface BenchServerArgs extends Readonly<z.infer<typeof benchServerSchema>> {}

/**
 * A machine with a public and a private address that the tests of one or more paths end at.
 *
 * Cost (USD, us-east-1, on demand): the instance, m7g.xlarge 0.16 an hour, its disk, and 0.005 an hour for the address.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const server = new aws.BenchServer("server", {
 *   vpcId: vpc.id, subnetId: publicSubnet.id,
 *   instanceType: "m7g.large",
 *   ssh,
 *   paths: [{ egress: nat }],
 * });
 * ```
 */
export class BenchServer extends pulumi.ComponentResource {
  readonly host: LinuxHost;
  /** IPv4 address at which clients reach it from outside. */
  readonly publicAddress: pulumi.Output<string>;
  /** IPv4 address in its subnet. */
  readonly privateAddress: pulumi.Output<string>;

  constructor(name: string, args: BenchServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:BenchServer", name, {}, opts);
    checkArgs("BenchServer", benchServerSchema, args);
    const eip = elasticIp(`${name}-eip`, args, this);
    this.publicAddress = eip.publicIp;
    const { tags, vpcId, instanceType, image, adminUser, placementGroup, internetReady } = args;
    this.host = new LinuxHost(
      name,
      {
        ...{ tags, vpcId, instanceType, image, adminUser, placementGroup, internetReady },
        role: "server",
        subnetId: publicSubnetId(args, this),
        publicIps: [publicIpOf(eip)],
        rules: [...sshRules(args.ssh.allowedCidrs), ...testRules(args.paths)],
        packages: rolePackages.bench,
        sshKey: args.ssh.key,
        dataAddress: eip.publicIp,
      },
      { parent: this },
    );
    this.privateAddress = this.host.privateAddress;
    this.registerOutputs({ publicAddress: this.publicAddress, privateAddress: this.privateAddress });
  }
}

function testRules(paths: BenchServerArgs["paths"]) {
  if (paths.length === 0) {
    return [];
  }
  const seen = paths.flatMap(({ egress, extraClients = [] }) => [egress, ...extraClients]);
  const sources = sourcesOf(seen).apply((addresses) => addresses.map((address) => `${address}/32`));
  // Detached: each of many servers would name the address resource of each client.
  return portRules(detached(sources), testPorts);
}
