import { invalid } from "./arguments.ts";
import { serverName } from "./host-names.ts";

/** The servers that a topology's clients measure against. */
export interface PairServersArgs<Server> {
  /** Shared with other pairs. @default each client gets a new one */
  readonly server: Server | undefined;
  /** Shared ones for the further clients. */
  readonly moreServers: readonly Server[];
  readonly extraClients: number;
  /** Makes one by its resource name and its number, from 1. */
  readonly make: (name: string, number: number) => Server;
}

/**
 * One server a client, the first client's first.
 *
 * @param name Of the pair.
 * @throws {pulumi.InputPropertyError} where shared servers are too few.
 */
export function pairServers<Server>(
  name: string,
  { server, moreServers, extraClients, make }: PairServersArgs<Server>,
): readonly [Server, ...Server[]] {
  if (server === undefined) {
    const first = make(serverName(name, 1), 1);
    return [
      first,
      ...Array.from({ length: extraClients }, (_, at) => make(serverName(name, at + 2), at + 2)),
    ];
  }
  if (moreServers.length < extraClients) {
    throw invalid(
      "moreServers",
      `has ${moreServers.length} servers for ${extraClients} extraClients; give each client one of its own`,
    );
  }
  return [server, ...moreServers];
}
