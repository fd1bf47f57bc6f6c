/** The two ends of each pair of a deployed path, and an output's value for tests. */
import * as pulumi from "@pulumi/pulumi";
import type { EgressPath } from "../../components/shared/egress.ts";

export const known = <T>(input: pulumi.Input<T>) =>
  new Promise<T>((resolve) => {
    pulumi.output(input).apply((value) => resolve(value as T));
  });

/** Client and server of each pair, the path's own first. */
export const endsOf = (path: EgressPath) =>
  Promise.all(
    [path, ...(path.extraPairs ?? [])].map(async (pair) => ({
      client: pair.client.name,
      server: pair.server?.name,
      serverAddress: await known(pair.serverAddress),
      expected: (await known(pair.expectedSourceIps)) as string[],
    })),
  );
