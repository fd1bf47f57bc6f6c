/**
 * A client and a server, joined by an egress.
 *
 * @module
 */
import type { Subnet } from "@pulumi/azure-native/network/subnet.js";
import * as pulumi from "@pulumi/pulumi";
import { type EgressPath, reachableAt } from "../egress.ts";
import { BenchServer, type BenchServerArgs, firstFreeAddress } from "./bench-server.ts";
import { type AzureArgs, placement } from "./common.ts";
import type { AzureEgress } from "./egress.ts";
import { LinuxHost, type MachineArgs, type SshArgs } from "./linux-host.ts";
import type { Network } from "./network.ts";
import { addressOf, publicIp } from "./public-ip.ts";
import { receiverRules, sshRule } from "./security-rules.ts";
import { benchUserData, jumpUserData } from "./user-data.ts";

export interface BenchPairArgs extends AzureArgs {
  readonly egress: AzureEgress;
  /** Network of the client; gets a subnet for it, and one for the jump host where the client is private. */
  readonly network: Network;
  readonly clientCidr: string;
  /** Only where the client has no public address. */
  readonly jumpCidr: string;
  readonly client: MachineArgs;
  /** @default Standard_B2ats_v2 and what else is the default */
  readonly jump?: MachineArgs | undefined;
  readonly ssh: SshArgs;
  /** One that other pairs use too, or what to make one of. */
  readonly server: BenchServer | Omit<BenchServerArgs, "paths" | "ssh">;
  /** Source addresses of the stack's other paths: proof of a wrong one where the right one is unknown. @default none */
  readonly otherSourceIps?: readonly pulumi.Input<pulumi.Input<string>[]>[] | undefined;
}

const JUMP_SIZE = "Standard_B2ats_v2";

/**
 * A client that reaches a server through an egress, and nothing else. A client without a public address is
 * reached through a jump host in its network, and boots when its egress works, since it needs packages.
 *
 * Cost (USD, pay as you go): two Standard_D8ls_v5 about 0.70 an hour; a jump host about 0.02.
 */
export class BenchPair extends pulumi.ComponentResource {
  readonly client: LinuxHost;
  readonly server: BenchServer;
  /** Undefined where the client has a public address. */
  readonly jump: LinuxHost | undefined;
  /** What the benchmark measures. */
  readonly path: EgressPath;

  constructor(name: string, args: BenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:BenchPair", name, {}, opts);
    const { egress, ssh } = args;
    this.server =
      args.server instanceof BenchServer
        ? args.server
        : new BenchServer(
            `${name}-server`,
            { ...args.server, ssh, paths: [{ name, egress }] },
            { parent: this },
          );
    const subnet = args.network.subnet(`${name}-client`, {
      cidr: args.clientCidr,
      attachment: egress.attachment,
    });
    this.jump = egress.attachment.publicIp !== undefined ? undefined : this.#jumpHost(`${name}-jump`, args);
    this.client = this.#client(`${name}-client`, args, subnet);
    this.path = {
      name,
      topology: egress.topology,
      server: this.server.host,
      client: this.client,
      serverAddress: this.#serverAddress(egress),
      expectedSourceIps: egress.expectedSourceIps,
      clientAddress: reachableAt(egress),
      ...this.#forbidden(args),
      observed: egress.hosts,
      ready: [...egress.ready, ...egress.pathReady],
    };
    this.registerOutputs({});
  }

  #serverAddress({ serverAddress }: AzureEgress): pulumi.Input<string> {
    return serverAddress === "public" ? this.server.publicAddress : this.server.privateAddress;
  }

  /** Where the address is Azure's to choose, none of ours may be it. */
  #forbidden({ egress, otherSourceIps = [] }: BenchPairArgs): Pick<EgressPath, "forbiddenSourceIps"> {
    if (egress.sourceServiceTag === undefined) {
      return {};
    }
    const ours = [this.server.publicAddress, ...(this.jump === undefined ? [] : [this.jump.loginAddress])];
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
        size: JUMP_SIZE,
        ...args.jump,
        role: "jump",
        subnetId: subnet.id,
        addresses: [{ privateAddress: firstFreeAddress(args.jumpCidr), publicIpAddressId: ip.id }],
        rules: [sshRule(args.ssh.allowedCidrs)],
        sshKey: args.ssh.key,
        loginAddress: addressOf(ip),
        userData: jumpUserData,
      },
      { parent: this },
    );
  }

  #client(name: string, args: BenchPairArgs, subnet: Subnet): LinuxHost {
    const { attachment, ready } = args.egress;
    const { publicIp: own, backendPoolId } = attachment;
    return new LinuxHost(
      name,
      {
        ...placement(args),
        ...args.client,
        role: "client",
        subnetId: subnet.id,
        addresses: [
          { privateAddress: firstFreeAddress(args.clientCidr), publicIpAddressId: own?.id, backendPoolId },
        ],
        rules: [
          sshRule(this.jump === undefined ? args.ssh.allowedCidrs : [args.jumpCidr]),
          ...(reachableAt(args.egress) === undefined ? [] : receiverRules(this.#serverAddress(args.egress))),
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
