import type { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import type { Subnet } from "@pulumi/azure-native/network/subnet.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { testPorts } from "../../bench/tools/ports.ts";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import type { ExtraClient } from "../shared/bench-pair.ts";
import { machineAddress } from "../shared/cidr.ts";
import { sourcesOf } from "../shared/egress.ts";
import { sshArgsSchema } from "../shared/host-login.ts";
import { azureShape, machineSettings, machineShape, placement } from "./common.ts";
import type { AzureEgress } from "./egress.ts";
import { LinuxHost } from "./linux-host.ts";
import { addressOf, publicIp } from "./public-ip.ts";
import { portRules, sshRules, type TestSource } from "./security-rules.ts";
import { benchUserData } from "./user-data.ts";

/** A path that ends at a server. */
export interface ServerPath {
  /** Unique among the server's paths. */
  readonly name: string;
  /** The way out whose addresses the server admits. */
  readonly egress: AzureEgress;
  /** Further clients beside the egress's first. @default none */
  readonly extraClients?: readonly Pick<ExtraClient, "expectedSourceIps">[] | undefined;
}

const benchServerSchema = z.strictObject({
  ...azureShape,
  ...machineShape,
  /** A subnet without a way out of its own: the server uses its public address. */
  subnet: objectOf<Subnet>("a subnet of a Network"),
  /** Block of the subnet; the private address is taken from it. */
  subnetCidr: z.string(),
  /** Place among the servers of the subnet, from 1; decides its private address. @default 1 */
  number: z.int().optional(),
  /** Login key and the addresses that may log in. */
  ssh: sshArgsSchema,
  /** The paths that end here. Test ports are open to their source addresses only. */
  paths: z.array(objectOf<ServerPath>("{ name, egress }", "name", "egress")).readonly(),
});

/** A server's size, its place in the network, and who may send tests to it. */
export interface BenchServerArgs extends Readonly<z.infer<typeof benchServerSchema>> {}

/**
 * A machine with a public and a private address that the tests of one or more paths end at.
 *
 * Cost (USD, pay as you go): the machine, Standard_D8ls_v5 about 0.34 an hour, its disk, and 0.005 an hour for the address.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const server = new azure.BenchServer("server", {
 *   resourceGroupName: group.name, location: group.location,
 *   subnet: network.subnet("server", { cidr: "10.0.2.0/24" }),
 *   subnetCidr: "10.0.2.0/24",
 *   size: "Standard_D2ls_v5",
 *   ssh,
 *   paths: [{ name: "nat", egress: nat }],
 * });
 * ```
 */
export class BenchServer extends pulumi.ComponentResource {
  readonly host: LinuxHost;
  /** IPv4 address at which clients reach it from outside. */
  readonly publicAddress: pulumi.Output<string>;
  /** IPv4 address in its subnet. */
  readonly privateAddress: string;
  /** The public address as a resource. */
  readonly publicIp: PublicIPAddress;

  constructor(name: string, args: BenchServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:BenchServer", name, {}, opts);
    checkArgs("BenchServer", benchServerSchema, args);
    this.publicIp = publicIp(`${name}-ip`, args, this);
    this.publicAddress = addressOf(this.publicIp);
    this.privateAddress = machineAddress(args.subnetCidr, args.number ?? 1);
    this.host = new LinuxHost(
      name,
      {
        ...placement(args),
        ...machineSettings(args),
        role: "server",
        subnetId: args.subnet.id,
        addresses: [{ privateAddress: this.privateAddress, publicIpAddressId: this.publicIp.id }],
        rules: [
          ...sshRules(args.ssh.allowedCidrs),
          ...args.paths.map(testSourceOf).flatMap((source) => portRules(source, testPorts)),
        ],
        sshKey: args.ssh.key,
        loginAddress: this.publicAddress,
        dataAddress: this.publicAddress,
        userData: benchUserData,
      },
      { parent: this },
    );
    this.registerOutputs({ publicAddress: this.publicAddress, privateAddress: this.privateAddress });
  }
}

function testSourceOf({ name, egress, extraClients = [] }: ServerPath): TestSource {
  const { sourceServiceTag: serviceTag } = egress;
  return serviceTag === undefined
    ? { name, addresses: sourcesOf([egress, ...extraClients]) }
    : { name, serviceTag };
}
