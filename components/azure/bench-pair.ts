import type { Subnet } from "@pulumi/azure-native/network/subnet.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { defaultBenchSizes } from "../../bench/machines/index.ts";
import { receiverPorts } from "../../bench/tools/ports.ts";
import { checkArgs, objectOf, texts } from "../shared/args-schema.ts";
import * as shared from "../shared/bench-pair.ts";
import { firstFreeAddress } from "../shared/cidr.ts";
import { type EgressPath, type PathPair, pathOf, reachableAt } from "../shared/egress.ts";
import { clientName } from "../shared/host-names.ts";
import { BenchServer, type BenchServerArgs } from "./bench-server.ts";
import { type AzureArgs, azureShape, machineShape, placement } from "./common.ts";
import { type AzureAttachment, egressSchema } from "./egress.ts";
import { LinuxHost } from "./linux-host.ts";
import type { Network } from "./network.ts";
import { addressOf, publicIp, publicIpOf } from "./public-ip.ts";
import { agentRule, portRules, sshRules } from "./security-rules.ts";
import { benchUserData, jumpUserData } from "./user-data.ts";

/** One more client: its addresses, and its source addresses at the server. */
export interface ExtraClient extends shared.ExtraClient<NonNullable<AzureAttachment["publicIp"]>> {}

/** Addresses of further clients, which servers admit by name. A client has a public address where the first one has. */
export function extraClients(
  name: string,
  args: AzureArgs & shared.ExtraClientsArgs,
  opts: pulumi.CustomResourceOptions = {},
): readonly ExtraClient[] {
  return shared.extraClients(args, (number) =>
    publicIpOf(publicIp(`${name}-client-${number}-ip`, args, opts.parent)),
  );
}

type NewServer = Omit<BenchServerArgs, "paths" | "ssh">;

const benchPairSchema = z.strictObject({
  ...azureShape,
  /** The way out that the client has. */
  egress: egressSchema,
  /** The client's network; gets a subnet for it, and one for the jump host where the client is private. */
  network: objectOf<Network>("a Network", "cidr"),
  /** Block of the client's subnet, inside the network's, such as `10.64.0.0/24`. */
  clientCidr: z.string(),
  /** Block of the jump host's subnet. Only where the client has no public address. */
  jumpCidr: z.string(),
  /** The client's size and image. */
  client: z.strictObject(machineShape),
  /** The jump host's size and image. @default Standard_B2ats_v2 and the other defaults */
  jump: z.strictObject(machineShape).optional(),
  ...shared.pairShape<BenchServer, NewServer>(),
  /**
   * Source addresses of the stack's other paths: they prove a wrong path where the right address is unknown.
   * @default none
   */
  otherSourceIps: z.array(texts).readonly().optional(),
});

/** The egress to measure, and the machines at its two ends. */
export interface BenchPairArgs extends Readonly<z.infer<typeof benchPairSchema>> {}

/**
 * A client that reaches a server through an egress, and nothing else. A client without a public address is
 * reached through a jump host in its network, and boots when its egress works, since it needs packages.
 *
 * Cost (USD, pay as you go): two Standard_D8ls_v5 about 0.68 an hour; a jump host about 0.01.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.DirectEgress("direct", { resourceGroupName: group.name, location: group.location });
 * const pair = new azure.BenchPair("direct", {
 *   resourceGroupName: group.name, location: group.location,
 *   egress,
 *   network,
 *   clientCidr: "10.0.1.0/24",
 *   jumpCidr: "10.0.3.0/24",
 *   client: { size: "Standard_D2ls_v5" },
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
    super("egress-bench:azure:BenchPair", name, {}, opts);
    checkArgs("BenchPair", benchPairSchema, args);
    const { egress, extraClients = [] } = args;
    const [server, ...moreServers] = this.#servers(name, args);
    this.server = server;
    // Subnets are written one after another, and the client's waits for the egress, so the jump host's comes first.
    this.jump = egress.attachment.publicIp !== undefined ? undefined : this.#jumpHost(`${name}-jump`, args);
    const subnet = args.network.subnet(`${name}-client`, {
      cidr: args.clientCidr,
      attachment: egress.attachment,
    });
    const first = { privateAddress: firstFreeAddress(args.clientCidr), publicIp: egress.attachment.publicIp };
    this.client = this.#client(clientName(name, 1), args, subnet, first, this.server);
    const extraPairs = extraClients.map((client, at) => ({
      client: this.#client(clientName(name, at + 2), args, subnet, client, moreServers[at] as BenchServer),
      ...shared.serverEnd(egress, moreServers[at] as BenchServer),
      expectedSourceIps: client.expectedSourceIps,
      ...this.#forbidden(args, moreServers),
    }));
    this.path = pathOf(egress, {
      name,
      client: this.client,
      ...shared.serverEnd(egress, this.server),
      clientAddress: reachableAt(egress),
      ...this.#forbidden(args, moreServers),
      extraPairs,
      observed: [...egress.hosts, ...(this.jump === undefined ? [] : [this.jump])],
      ready: [...egress.ready, ...(egress.pathReady ?? [])],
    });
  }

  /** A server for each client: the shared ones, or new ones. */
  #servers(name: string, args: BenchPairArgs): readonly [BenchServer, ...BenchServer[]] {
    const { ssh, egress, extraClients } = args;
    return shared.pairServers<BenchServer, NewServer>(
      name,
      args,
      BenchServer,
      (server, serverName, number) => {
        return new BenchServer(
          serverName,
          { ...server, ssh, number, paths: [{ name, egress, extraClients }] },
          { parent: this },
        );
      },
    );
  }

  /** Source addresses that prove a wrong path: this stack's own, where Azure chooses the right one. */
  #forbidden(
    { egress, otherSourceIps = [] }: BenchPairArgs,
    moreServers: readonly BenchServer[],
  ): Pick<PathPair, "forbiddenSourceIps"> {
    if (egress.sourceServiceTag === undefined) {
      return {};
    }
    const servers = [this.server, ...moreServers].map(({ publicAddress }) => publicAddress);
    const ours = [...servers, ...(this.jump === undefined ? [] : [this.jump.loginAddress])];
    const addresses = pulumi.output([ours, ...otherSourceIps]);
    return { forbiddenSourceIps: addresses.apply((all) => all.flat()) };
  }

  #jumpHost(name: string, args: BenchPairArgs): LinuxHost {
    const ip = publicIp(`${name}-ip`, args, this);
    const subnet = args.network.subnet(name, { cidr: args.jumpCidr });
    return new LinuxHost(
      name,
      {
        ...placement(args),
        size: defaultBenchSizes.azure.jump,
        ...args.jump,
        role: "jump",
        subnetId: subnet.id,
        addresses: [{ privateAddress: firstFreeAddress(args.jumpCidr), publicIpAddressId: ip.id }],
        rules: [...sshRules(args.ssh.allowedCidrs), agentRule(args.clientCidr)],
        sshKey: args.ssh.key,
        loginAddress: addressOf(ip),
        userData: jumpUserData,
      },
      { parent: this },
    );
  }

  #client(
    name: string,
    args: BenchPairArgs,
    subnet: Subnet,
    { privateAddress, publicIp: own }: Pick<ExtraClient, "privateAddress" | "publicIp">,
    server: BenchServer,
  ): LinuxHost {
    const { attachment, ready } = args.egress;
    const { serverAddress } = shared.serverEnd(args.egress, server);
    const { backendPoolId } = attachment;
    return new LinuxHost(
      name,
      {
        ...placement(args),
        ...args.client,
        role: "client",
        subnetId: subnet.id,
        addresses: [{ privateAddress, publicIpAddressId: own?.id, backendPoolId }],
        rules: [
          ...sshRules(this.jump === undefined ? args.ssh.allowedCidrs : [args.jumpCidr]),
          ...(reachableAt(args.egress) === undefined
            ? []
            : portRules({ name: "server", addresses: [serverAddress] }, receiverPorts)),
        ],
        sshKey: args.ssh.key,
        loginAddress: own?.address,
        jump: this.jump,
        userData: benchUserData,
        bootAfter: ready,
      },
      { parent: this },
    );
  }
}
