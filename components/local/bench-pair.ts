/**
 * A client and a server, joined by an egress.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type { Egress, EgressPath } from "../egress.ts";
import { SERVER_ADDRESS } from "./addresses.ts";
import { type LabAttachment, PRIVATE_INTERFACE } from "./box.ts";
import { type Lab, LabHost } from "./host.ts";
import type { LinkShape } from "./lab/shaping.ts";
import { Link } from "./link.ts";

/** The server of a lab, shared by all its topologies. */
export function benchServer(name: string, lab: Lab, opts?: pulumi.ComponentResourceOptions): LabHost {
  return new LabHost(name, { lab, role: "server", dataAddress: SERVER_ADDRESS }, opts);
}

export interface BenchPairArgs {
  readonly server: LabHost;
  readonly egress: Egress<LabAttachment>;
  /** Rate and delay of the link between client and box. @default no limit, no delay */
  readonly clientLink?: LinkShape | undefined;
}

/** A client that reaches the server through an egress, and nothing else. */
export class BenchPair extends pulumi.ComponentResource {
  readonly client: LabHost;
  readonly server: LabHost;
  /** What the benchmark measures. */
  readonly path: EgressPath;

  constructor(name: string, args: BenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:BenchPair", name, {}, opts);
    const { server, egress } = args;
    const { box, addresses } = egress.attachment;
    this.server = server;
    this.client = new LabHost(
      `${name}-client`,
      { lab: server.lab, role: "client", dataAddress: addresses.client },
      { parent: this },
    );
    const link = new Link(
      `${name}-client-link`,
      {
        shape: args.clientLink,
        ends: [
          {
            host: this.client,
            interface: "eth0",
            address: `${addresses.client}/24`,
            routes: [{ to: "default", via: addresses.gateway }],
          },
          { host: box, interface: "client1", bridge: PRIVATE_INTERFACE },
        ],
      },
      { parent: this, dependsOn: [...egress.ready] },
    );
    this.path = {
      name,
      topology: egress.topology,
      client: this.client,
      serverAddress: SERVER_ADDRESS,
      expectedSourceIps: egress.expectedSourceIps,
      // A router translates nothing, and the server knows the way back through it.
      clientAddress: box.role === "router" ? addresses.client : undefined,
      observed: egress.hosts,
      ready: [link.ready],
    };
    this.registerOutputs({});
  }
}
