import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { defaultBenchSizes } from "../../bench/machines/index.ts";
import { receiverPorts } from "../../bench/tools/ports.ts";
import { checkArgs, objectOf, optionalFlag, resources, text } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import * as shared from "../shared/bench-pair.ts";
import { rolePackages } from "../shared/cloud-init.ts";
import { type EgressPath, pathOf, reachableAt } from "../shared/egress.ts";
import type { SshArgs } from "../shared/host-login.ts";
import { clientName } from "../shared/host-names.ts";
import { BenchServer, type BenchServerArgs } from "./bench-server.ts";
import {
  type AwsArgs,
  awsShape,
  type MachineArgs,
  machineShape,
  type PublicIp,
  type PublicSubnetArgs,
} from "./common.ts";
import { egressSchema } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";
import { LinuxHost } from "./linux-host.ts";
import { publicSubnetId } from "./routes.ts";
import { agentRule, type Cidrs, portRules, sshRules } from "./security-group.ts";

/** The jump host's type, its place in the network, and the clients that it leads to. */
export interface JumpHostArgs extends PublicSubnetArgs, Partial<MachineArgs> {
  /** Login key and the addresses that may log in. */
  readonly ssh: SshArgs;
  /** Security group of the clients, whose agents may then sample the jump host during a case. @default none may */
  readonly clientCidrs?: Cidrs | undefined;
}

/**
 * The machine through which private clients are reached; one per VPC is enough. It has no Elastic IP, of which an account
 * has five a region, so its address changes at a stop and a start.
 */
export function jumpHost(
  name: string,
  args: JumpHostArgs,
  opts: pulumi.ComponentResourceOptions = {},
): LinuxHost {
  const { ssh, clientCidrs, tags, vpcId, image, adminUser, internetReady } = args;
  const { instanceType = defaultBenchSizes.aws.jump } = args;
  return new LinuxHost(
    name,
    {
      ...{ tags, vpcId, image, adminUser, internetReady, instanceType },
      role: "jump",
      subnetId: publicSubnetId(args, opts.parent),
      ephemeralPublicIp: true,
      rules: [...sshRules(ssh.allowedCidrs), ...(clientCidrs === undefined ? [] : [agentRule(clientCidrs)])],
      packages: rolePackages.jump,
      sshKey: ssh.key,
    },
    opts,
  );
}

/** One more client: its addresses, and its source addresses at the server. */
export interface ExtraClient extends shared.ExtraClient<PublicIp> {}

/**
 * Addresses of further clients, which servers admit by name. A client has an Elastic IP where the first one has; an account
 * has five a region unless it asks for more.
 */
export function extraClients(
  name: string,
  args: AwsArgs & shared.ExtraClientsArgs,
  opts: pulumi.CustomResourceOptions = {},
): readonly ExtraClient[] {
  return shared.extraClients(args, (number) =>
    publicIpOf(elasticIp(`${name}-client-${number}-eip`, args, opts.parent)),
  );
}

type NewServer = Omit<BenchServerArgs, "paths" | "ssh">;

interface ClientAddresses {
  readonly privateAddress: BenchPairArgs["clientAddress"];
  readonly publicIp: PublicIp | undefined;
}

const benchPairSchema = z.strictObject({
  ...awsShape,
  /** The way out that the client has. */
  egress: egressSchema,
  /** The client's VPC. */
  vpcId: text,
  /**
   * The client's subnet: public where the egress is a public address of the client's own, else a private one whose route
   * table the egress was given.
   */
  clientSubnetId: text,
  /** @default AWS's choice */
  clientAddress: text.optional(),
  /** The client's size and image; `onSpot` makes it a spot instance, which EC2 may take back. */
  client: z.strictObject({ ...machineShape, onSpot: optionalFlag }),
  /**
   * A jump host that other pairs use too, or arguments for a new one. Only where the client has no public address.
   * @default none
   */
  jump: objectOf<LinuxHost | Omit<JumpHostArgs, "ssh" | "vpcId">>(
    "a LinuxHost, or arguments for a new one",
  ).optional(),
  /** The jump host is sampled during cases; it must know the `clientCidrs`. @default false */
  observeJump: optionalFlag,
  ...shared.pairShape<BenchServer, NewServer>(),
  /** Further needs of the client's subnet: a gateway's route, its own association. @default none */
  internetReady: resources.optional(),
});

/** The egress to measure, and the machines at its two ends. */
export interface BenchPairArgs extends Readonly<z.infer<typeof benchPairSchema>> {}

/**
 * A client that reaches a server through an egress, and nothing else. A client without a public address is reached
 * through a jump host in its VPC, and boots when its egress works, since it needs packages.
 *
 * Cost (USD, us-east-1, on demand): c7g.8xlarge 1.16 an hour, m7g.xlarge 0.16, a jump host 0.004.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const egress = new aws.DirectEgress("direct", {});
 * const pair = new aws.BenchPair("direct", {
 *   egress,
 *   vpcId: vpc.id,
 *   clientSubnetId: publicSubnet.id,
 *   client: { instanceType: "c7g.large" },
 *   ssh,
 *   server,
 * });
 * ```
 */
export class BenchPair extends pulumi.ComponentResource {
  /** The machine that sends the tests. */
  readonly client: LinuxHost;
  /** The machine that the tests end at. */
  readonly server: BenchServer;
  /** Undefined where the client has a public address. */
  readonly jump: LinuxHost | undefined;
  /** The hosts and the path that the benchmark measures. */
  readonly path: EgressPath;

  constructor(name: string, args: BenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:BenchPair", name, {}, opts);
    checkArgs("BenchPair", benchPairSchema, args);
    const { egress, extraClients = [] } = args;
    const { forbiddenSourceIps = [] } = egress;
    const [server, ...moreServers] = this.#servers(name, args);
    this.server = server;
    this.jump = egress.attachment.publicIp === undefined ? this.#jump(`${name}-jump`, args) : undefined;
    const first = { privateAddress: args.clientAddress, publicIp: egress.attachment.publicIp };
    this.client = this.#client(clientName(name, 1), args, first, this.server);
    const extraPairs = extraClients.map((client, at) => ({
      client: this.#client(clientName(name, at + 2), args, client, moreServers[at] as BenchServer),
      ...shared.serverEnd(egress, moreServers[at] as BenchServer),
      expectedSourceIps: client.expectedSourceIps,
      forbiddenSourceIps,
    }));
    this.path = pathOf(egress, {
      name,
      client: this.client,
      ...shared.serverEnd(egress, this.server),
      clientAddress: reachableAt(egress),
      forbiddenSourceIps,
      extraPairs,
      observed: [...egress.hosts, ...(args.observeJump && this.jump !== undefined ? [this.jump] : [])],
      ready: egress.ready,
    });
  }

  /** A server for each client: the shared ones, or new ones. */
  #servers(name: string, args: BenchPairArgs): readonly [BenchServer, ...BenchServer[]] {
    const { ssh, egress, extraClients = [] } = args;
    return shared.pairServers<BenchServer, NewServer>(name, args, BenchServer, (server, serverName) => {
      return new BenchServer(
        serverName,
        { ...server, ssh, paths: [{ egress, extraClients }] },
        { parent: this },
      );
    });
  }

  #jump(name: string, { jump, vpcId, ssh, tags }: BenchPairArgs): LinuxHost {
    if (jump === undefined) {
      throw invalid(
        "jump",
        "this client has no public address to log in to; give a jump host of its VPC, or a public subnet for one",
      );
    }
    return jump instanceof LinuxHost ? jump : jumpHost(name, { tags, ...jump, vpcId, ssh }, { parent: this });
  }

  #client(
    name: string,
    args: BenchPairArgs,
    { privateAddress, publicIp }: ClientAddresses,
    server: BenchServer,
  ): LinuxHost {
    const { ready } = args.egress;
    const { serverAddress } = shared.serverEnd(args.egress, server);
    const cidrBlocks = [pulumi.interpolate`${serverAddress}/32`];
    const { tags, vpcId, ssh, internetReady = [] } = args;
    const { onSpot, ...client } = args.client;
    const logins =
      this.jump === undefined ? ssh.allowedCidrs : [pulumi.interpolate`${this.jump.privateAddress}/32`];
    return new LinuxHost(
      name,
      {
        tags,
        vpcId,
        ...client,
        options: { onSpot },
        role: "client",
        subnetId: args.clientSubnetId,
        privateAddress,
        publicIps: publicIp === undefined ? [] : [publicIp],
        internetReady,
        rules: [
          ...sshRules(logins),
          // A group that tracks the flow would forget it after 30 s or 180 s, and a test of a NAT's memory would find that limit
          // instead. Source: docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-connection-tracking.html
          { description: "late answers", protocol: "udp", fromPort: 0, toPort: 65_535, cidrBlocks },
          ...(reachableAt(args.egress) === undefined ? [] : portRules(cidrBlocks, receiverPorts)),
        ],
        packages: rolePackages.bench,
        sshKey: ssh.key,
        jump: this.jump,
        bootAfter: ready,
      },
      { parent: this },
    );
  }
}
