/** Machines of a benchmark, which a pair returns and a benchmark takes. */
import * as pulumi from "@pulumi/pulumi";
import { type EgressPath, type Host, hostLogin } from "egress-bench";

/** A machine of a benchmark: its login, and its address for the others. */
export interface BenchHost {
  /** Login address; with a jump host, the one that the jump host uses. */
  address: pulumi.Input<string>;
  /** Port of SSH. Default: 22. */
  port?: pulumi.Input<number>;
  /** User that logs in, who may become root by sudo. */
  user: pulumi.Input<string>;
  /** Private key of that user, in OpenSSH's format, without passphrase. */
  privateKey: pulumi.Input<string>;
  /** Public key of the machine, which is verified. */
  hostKey: pulumi.Input<string>;
  /** Address of the jump host, which the same key opens. Default: none. */
  jumpAddress?: pulumi.Input<string>;
  /** User of the jump host. Default: the machine's. */
  jumpUser?: pulumi.Input<string>;
  /** Public key of the jump host, which is verified. Default: not verified. */
  jumpHostKey?: pulumi.Input<string>;
  /** Address at which the other machines reach it. */
  dataAddress: pulumi.Input<string>;
  /** Text that changes when the machine is replaced, such as its instance id. */
  identity: pulumi.Input<string>;
  /** Size of the machine in the cloud's words. Default: unknown. */
  size?: pulumi.Input<string>;
  /** Region in the cloud's words. Default: unknown. */
  region?: pulumi.Input<string>;
  /** Availability zone in the cloud's words. Default: unknown. */
  zone?: pulumi.Input<string>;
}

/** The machines of a path. Each is known once it accepts logins. */
export function hostsOfPath({ client, server, serverAddress, observed }: EgressPath, own: Host) {
  const nat = observed.find(({ role }) => role === "nat");
  return {
    client: benchHost(client),
    server: benchHost(server ?? own, serverAddress),
    natInstance: nat && benchHost(nat),
  };
}

function benchHost(host: Host, dataAddress = host.dataAddress): pulumi.Output<BenchHost> {
  const { connection, identity, size, region, zone } = host;
  // Logins wait until these resources exist.
  const ready = host.ready.map(({ urn }) => urn);
  const known = pulumi.output({ connection, dataAddress, identity, size, region, zone, ready });
  return known.apply(
    ({ connection: { proxy, ...login }, ...facts }): BenchHost => ({
      address: login.host,
      port: login.port ?? 22,
      user: login.user ?? "root",
      privateKey: login.privateKey ?? "",
      hostKey: login.hostKey ?? "",
      ...(proxy && { jumpAddress: proxy.host, jumpUser: proxy.user, jumpHostKey: proxy.hostKey }),
      dataAddress: facts.dataAddress,
      identity: facts.identity,
      size: facts.size,
      region: facts.region,
      zone: facts.zone,
    }),
  );
}

/** The machine in the library's form. @param name Name within the stack, for its resources and the results. */
export function hostOf(name: string, role: Host["role"], given: pulumi.Input<BenchHost>): Host {
  const known = pulumi.output(given);
  const { dataAddress, identity, size, region, zone } = known;
  const connection = known.apply(({ address, port = 22, user, privateKey, hostKey, ...jump }) => {
    const { jumpAddress, jumpUser = user, jumpHostKey } = jump;
    const through = jumpAddress && {
      connection: hostLogin({ host: jumpAddress, user: jumpUser, privateKey, hostKey: jumpHostKey }),
    };
    return hostLogin({ host: address, port, user, privateKey, hostKey, jump: through || undefined });
  });
  const place = { size, region, zone } as {
    readonly [fact in "size" | "region" | "zone"]: pulumi.Output<string>;
  };
  return { name, role, dataAddress, identity, ...place, connection, ready: [] };
}
