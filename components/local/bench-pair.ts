import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, objectOf, resources } from "../shared/args-schema.ts";
import { type Egress, type EgressPath, pathOf } from "../shared/egress.ts";
import { clientName } from "../shared/host-names.ts";
import { clientAddress } from "./addresses.ts";
import { type LabAttachment, PRIVATE_INTERFACE } from "./forwarder.ts";
import { LabHost } from "./host.ts";
import { linkShapeSchema } from "./link.ts";

const host = objectOf<LabHost>("a LabHost", "dataAddress");

const benchPairSchema = z.strictObject({
  /** The server, which other pairs may use too. */
  server: host,
  /** Further servers; each gets one more client, in the same private subnet. @default none */
  moreServers: z.array(host).readonly().optional(),
  /** The way out that the client has. */
  egress: objectOf<Egress<LabAttachment>>("a way out, such as a NatInstance", "attachment"),
  /** Rate and delay of the link between each client and the forwarder. @default no limit, no delay */
  clientLink: linkShapeSchema.optional(),
  /** Resources to wait for before the servers are reached, beyond the egress. @default none */
  serversReady: resources.optional(),
});

/** The egress to measure, and the machines at its two ends. */
export interface BenchPairArgs extends Readonly<z.infer<typeof benchPairSchema>> {}

/**
 * A client that reaches the server through an egress, and nothing else.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import * as local from "egress-bench/local";
 *
 * const egress = new local.NatInstance("nat", { server: far.gateway, index: 1 });
 * const pair = new local.BenchPair("nat", { server: far.servers[0], egress, serversReady: far.ready });
 * export const path = pair.path;
 * ```
 */
export class BenchPair extends pulumi.ComponentResource {
  /** The machine that sends the tests. */
  readonly client: LabHost;
  /** The machine that the tests end at. */
  readonly server: LabHost;
  /** The path to measure. */
  readonly path: EgressPath;

  constructor(name: string, args: BenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:BenchPair", name, {}, opts);
    checkArgs("BenchPair", benchPairSchema, args);
    const { server, moreServers = [], egress, serversReady = [] } = args;
    this.server = server;
    const first = this.#client(name, args, 1);
    const others = moreServers.map((_, at) => this.#client(name, args, at + 2));
    this.client = first;
    this.path = pathOf(egress, {
      name,
      client: this.client,
      serverAddress: server.dataAddress,
      // Without NAT the server sees the client's own address, and has a route back to it.
      clientAddress: egress.attachment.translates ? undefined : this.client.dataAddress,
      extraPairs: others.map((client, at) => ({
        client,
        server: moreServers[at] as LabHost,
        serverAddress: (moreServers[at] as LabHost).dataAddress,
        expectedSourceIps: egress.attachment.translates ? egress.expectedSourceIps : [client.dataAddress],
      })),
      observed: egress.hosts,
      ready: [...[first, ...others].map(({ machine }) => machine), ...serversReady],
    });
  }

  /** The client of a server. @param number From 1. */
  #client(name: string, { server, egress, clientLink }: BenchPairArgs, number: number): LabHost {
    const { forwarder, addresses } = egress.attachment;
    const dataAddress = clientAddress(addresses.index, number);
    const routes = [{ to: "default", via: addresses.gateway }];
    const link = {
      end: { interface: "eth0", address: `${dataAddress}/24`, routes },
      peer: { host: forwarder, interface: `client${number}`, bridge: PRIVATE_INTERFACE },
      shape: clientLink,
    };
    const opts = { parent: this, dependsOn: [...egress.ready] };
    return new LabHost(
      clientName(name, number),
      { lab: server.lab, role: "client", dataAddress, link },
      opts,
    );
  }
}
