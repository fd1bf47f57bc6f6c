/** The machines of a benchmark, which a pair puts out and a benchmark takes. */
import * as pulumi from "@pulumi/pulumi";
import { type EgressPath, type Host, hostLogin } from "egress-bench";

/** A machine of a benchmark: how it is logged in to, and where the others find it. */
export interface BenchHost {
  /** Address that it is logged in to at: from the jump host, where there is one. */
  address: pulumi.Input<string>;
  /** Port of SSH. Default: 22. */
  port?: pulumi.Input<number>;
  /** User that logs in, who may become root by sudo. */
  user: pulumi.Input<string>;
  /** Private key of that user, as OpenSSH writes it, without passphrase. */
  privateKey: pulumi.Input<string>;
  /** Public key of the machine, which is verified. */
  hostKey: pulumi.Input<string>;
  /** Address of the jump host, which the same key opens. Default: there is none. */
  jumpAddress?: pulumi.Input<string>;
  /** User of the jump host. Default: the machine's. */
  jumpUser?: pulumi.Input<string>;
  /** Public key of the jump host, which is verified. Default: not verified. */
  jumpHostKey?: pulumi.Input<string>;
  /** Address at which the other machines reach it. */
  dataAddress: pulumi.Input<string>;
  /** Changes when the machine is another one, such as its instance id. */
  identity: pulumi.Input<string>;
  /** Size of the machine, as the cloud names it. Default: unknown. */
  size?: pulumi.Input<string>;
  /** Region, as the cloud names it. Default: unknown. */
  region?: pulumi.Input<string>;
  /** Availability zone, as the cloud names it. Default: unknown. */
  zone?: pulumi.Input<string>;
}

/** The machines of a path. Each is known when it can be logged in to. */
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

/** The machine as the library takes it. @param name Of the stack's own; names its resources and stands in the results. */
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
