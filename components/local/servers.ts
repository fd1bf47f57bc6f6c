/** The far end of a lab: one server, or several behind one router. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { numbered } from "../shared/host-names.ts";
import { SERVER_ADDRESS, SERVERS_GATEWAY, serverAddress } from "./addresses.ts";
import { type Lab, LabHost, labHost, labSchema } from "./host.ts";
import { bootCommand } from "./lab-command.ts";
import { Link, unnumberedEnd } from "./link.ts";

/** The server of a lab, shared by all its topologies. */
export function benchServer(name: string, lab: Lab, opts?: pulumi.ComponentResourceOptions): LabHost {
  return new LabHost(name, { lab, role: "server", dataAddress: SERVER_ADDRESS }, opts);
}

/** Turns a host into a plain router. */
export const routerScript = `
set -eu
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
`;

const benchServersSchema = z.strictObject({
  /** The servers' lab. */
  lab: labSchema,
  /** Number of servers. */
  count: z.int(),
});

/** The servers' lab and their number. */
export interface BenchServersArgs extends Readonly<z.infer<typeof benchServersSchema>> {}

/**
 * Servers for as many clients, shared by all topologies of a lab. Several stand behind a router, so that each topology has
 * one link to all of them, and its shape is shared by the clients.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import { SshKeyPair } from "egress-bench";
 * import * as local from "egress-bench/local";
 *
 * const lab = { name: "mine", operatorKey: new SshKeyPair("operator") };
 * const far = new local.BenchServers("server", { lab, count: 2 });
 * export const addresses = far.servers.map((server) => server.dataAddress);
 * ```
 */
export class BenchServers extends pulumi.ComponentResource {
  /** The servers, one per pair. */
  readonly servers: readonly [LabHost, ...LabHost[]];
  /** Host at the far end of the forwarders' outer links. */
  readonly gateway: LabHost;
  /** Resources to wait for before the servers are reached. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: BenchServersArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:BenchServers", name, {}, opts);
    checkArgs("BenchServers", benchServersSchema, args);
    const { lab, count } = args;
    // Without a parent, like a single server without this component.
    const first = benchServer(name, lab);
    this.servers = [first, ...Array.from({ length: count - 1 }, (_, at) => this.#server(name, lab, at + 2))];
    if (count === 1) {
      this.gateway = first;
      this.ready = [];
    } else {
      this.gateway = labHost(`${name}-router`, lab, "router", SERVERS_GATEWAY, this);
      this.ready = [this.#boot(), ...this.servers.map((server, at) => this.#link(server, at + 1))];
    }
    this.registerOutputs({});
  }

  #server(name: string, lab: Lab, number: number): LabHost {
    return labHost(numbered(name, number), lab, "server", serverAddress(number), this);
  }

  #link(server: LabHost, number: number): pulumi.Resource {
    const { gateway } = this;
    const via = gateway.dataAddress;
    const ends = [
      unnumberedEnd(server, "eth0", server.dataAddress, [via], [{ to: "default", via }]),
      unnumberedEnd(gateway, `server${number}`, via, [server.dataAddress]),
    ] as const;
    return new Link(`${server.name}-link`, { ends }, { parent: this }).ready;
  }

  #boot(): pulumi.Resource {
    const { gateway } = this;
    return bootCommand(
      `${gateway.name}-boot`,
      gateway,
      { script: routerScript },
      { parent: this, dependsOn: [gateway.machine] },
    );
  }
}
