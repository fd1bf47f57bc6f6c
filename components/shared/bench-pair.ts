/** The parts of a pair of client and server that the clouds share. */
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { objectOf } from "./args-schema.ts";
import { invalid } from "./arguments.ts";
import { machineAddress } from "./cidr.ts";
import { type Egress, isPrivate } from "./egress.ts";
import type { Host } from "./host.ts";
import { sshArgsSchema } from "./host-login.ts";
import { serverName } from "./host-names.ts";

/** A public address, as a resource and as text. */
export interface Address {
  readonly id: pulumi.Input<string>;
  readonly address: pulumi.Input<string>;
}

/** One more client: its addresses, and its source addresses at the server. */
export interface ExtraClient<PublicIp = Address> {
  /** IPv4 address in the clients' subnet. */
  readonly privateAddress: string;
  /** Public address; undefined where clients have none of their own. */
  readonly publicIp: PublicIp | undefined;
  /** IPv4 source addresses that the server may see. */
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
}

interface Server {
  readonly host: Host;
  readonly publicAddress: pulumi.Output<string>;
  readonly privateAddress: pulumi.Input<string>;
}

export function pairShape<BenchServer extends Server, NewServer>() {
  return {
    /** Login key of the machines, and the addresses that may log in. */
    ssh: sshArgsSchema,
    /** A server that other pairs use too, or arguments for a new one. */
    server: objectOf<BenchServer | NewServer>("a BenchServer, or arguments for a new one"),
    /** Further clients of the same size in the same subnet, each with a server of its own. @default none */
    extraClients: z
      .array(objectOf<ExtraClient>("an entry of ExtraClients", "expectedSourceIps"))
      .readonly()
      .optional(),
    /** A server for each extra client. Where `server` holds arguments, these are made like it. @default none */
    moreServers: z.array(objectOf<BenchServer>("a BenchServer", "host")).readonly().optional(),
  };
}

/** Number and place of further clients. */
export interface ExtraClientsArgs {
  /** The clients' way out. */
  readonly egress: Egress<{ readonly publicIp?: unknown }>;
  /** Subnet of all clients of the egress. */
  readonly clientCidr: string;
  /** Clients beyond the first one. */
  readonly count: number;
}

/**
 * Addresses of further clients: public ones too, if the first client has one. They exist before the servers, which admit
 * them by name.
 * @param publicIp Makes the public address of a client by its number; the first client is 1.
 */
export function extraClients<PublicIp extends Address>(
  { egress, clientCidr, count }: ExtraClientsArgs,
  publicIp: (number: number) => PublicIp,
): readonly ExtraClient<PublicIp>[] {
  return Array.from({ length: count }, (_, at) => {
    const privateAddress = machineAddress(clientCidr, at + 2);
    if (egress.attachment.publicIp === undefined) {
      return { privateAddress, publicIp: undefined, expectedSourceIps: egress.expectedSourceIps };
    }
    const own = publicIp(at + 2);
    const expectedSourceIps = [isPrivate(egress) ? privateAddress : own.address];
    return { privateAddress, publicIp: own, expectedSourceIps };
  });
}

export function serverEnd(
  egress: Pick<Egress<unknown>, "topology">,
  { host, publicAddress, privateAddress }: Server,
) {
  return { server: host, serverAddress: isPrivate(egress) ? privateAddress : publicAddress };
}

/**
 * One server per client, the first client's first: shared ones, or new ones.
 * @param name Name of the pair.
 * @param Server Class of a server that other pairs use too.
 * @param make Makes a server by its resource name and its number, from 1.
 * @throws {pulumi.InputPropertyError} where shared servers are too few.
 */
export function pairServers<BenchServer, NewServer>(
  name: string,
  args: {
    readonly server: BenchServer | NewServer;
    readonly moreServers?: readonly BenchServer[] | undefined;
    readonly extraClients?: readonly unknown[] | undefined;
  },
  Server: abstract new (...args: never) => BenchServer,
  make: (server: NewServer, name: string, number: number) => BenchServer,
): readonly [BenchServer, ...BenchServer[]] {
  const { server, moreServers = [], extraClients = [] } = args;
  if (!(server instanceof Server)) {
    const made = (number: number) => make(server as NewServer, serverName(name, number), number);
    return [made(1), ...extraClients.map((_, at) => made(at + 2))];
  }
  if (moreServers.length < extraClients.length) {
    throw invalid(
      "moreServers",
      `has ${moreServers.length} servers for ${extraClients.length} extraClients; give each client one of its own`,
    );
  }
  return [server, ...moreServers];
}
