/** The parts that topologies over private addresses share. */
import type * as pulumi from "@pulumi/pulumi";
import { type ShapeOf, text } from "../shared/args-schema.ts";
import type { AzureArgs } from "./common.ts";
import { azureShape } from "./common.ts";
import { addressOf, publicIp } from "./public-ip.ts";

/** The client of a path between private addresses. */
export interface PrivatePathArgs extends AzureArgs {
  /** Private address that the client will have; the source address that the server must see. */
  readonly clientAddress: pulumi.Input<string>;
}

/** Schemas of {@link PrivatePathArgs}. */
export const privatePathShape: ShapeOf<PrivatePathArgs> = { ...azureShape, clientAddress: text };

/** Fields of an egress whose client has a public address for its packages and logins, and tests by private ones. */
export function privatePath(name: string, args: PrivatePathArgs, parent: pulumi.Resource) {
  const ip = publicIp(`${name}-ip`, args, parent);
  return {
    attachment: { publicIp: { id: ip.id, address: addressOf(ip) } },
    expectedSourceIps: [args.clientAddress],
    ready: [ip],
  };
}
