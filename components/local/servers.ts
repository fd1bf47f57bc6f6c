/** The far end of a lab: one server, or several behind one router. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { numbered } from "../shared/host-names.ts";
import { SERVER_ADDRESS, SERVERS_GATEWAY, serverAddress } from "./addresses.ts";
import { type Lab, LabHost, labHost, labSchema, type OwnLink } from "./host.ts";
import { bootCommand } from "./lab-command.ts";
import { unnumberedEnd } from "./link.ts";

/** The server of a lab, shared by all its topologies. */
export function benchServer(
  name: string,
  lab: Lab,
  opts?: pulumi.ComponentResourceOptions,
  link?: OwnLink,
): LabHost {
  return new LabHost(name, { lab, role: "server", dataAddress: SERVER_ADDRESS, link }, opts);
}

/** Turns a host into a plain router. */
export const routerScript =
  "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0\n";

const benchServersSchema = z.strictObject({
  lab: labSchema,
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
    const router = count === 1 ? undefined : labHost(`${name}-router`, lab, "router", SERVERS_GATEWAY, this);
    const link = (number: number) => router && linkTo(router, number);
    const first = benchServer(name, lab, undefined, link(1));
    const others = Array.from({ length: count - 1 }, (_, at) => {
      const number = at + 2;
      return labHost(numbered(name, number), lab, "server", serverAddress(number), this, link(number));
    });
    this.servers = [first, ...others];
    this.gateway = router ?? first;
    this.ready = router === undefined ? [] : [this.#boot(), ...this.servers.map(({ machine }) => machine)];
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

/** Link of the `number`th server to the router that all stand behind. */
function linkTo(router: LabHost, number: number): OwnLink {
  const address = serverAddress(number);
  const via = router.dataAddress;
  return {
    end: unnumberedEnd("eth0", address, [via], [{ to: "default", via }]),
    peer: { host: router, ...unnumberedEnd(`server${number}`, via, [address]) },
  };
}
