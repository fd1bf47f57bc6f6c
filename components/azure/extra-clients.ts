import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { machineAddress } from "../shared/cidr.ts";
import { isPrivate } from "../shared/egress.ts";
import { azureShape } from "./common.ts";
import type { AzureAttachment } from "./egress.ts";
import { egressSchema } from "./egress.ts";
import { addressOf, publicIp } from "./public-ip.ts";

/** One more client: its addresses, and what the server sees of it. */
export interface ExtraClient {
  /** IPv4 address in the clients' subnet. */
  readonly privateAddress: string;
  /** Undefined where clients have no address of their own. */
  readonly publicIp: AzureAttachment["publicIp"];
  /** IPv4 addresses that the server may see it come from. */
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
}

const extraClientsSchema = z.strictObject({
  ...azureShape,
  /** The way out of all of them. */
  egress: egressSchema,
  /** Subnet of all clients of the egress. */
  clientCidr: z.string(),
  /** Clients beyond the first one. */
  count: z.int(),
});

/** The first client of the pairs, and the number of further ones. */
export interface ExtraClientsArgs extends Readonly<z.infer<typeof extraClientsSchema>> {}

/**
 * Addresses of further clients. They are there before the servers, which admit them by name. A client has a public
 * address where the first one has.
 *
 * Cost: 0.005 USD an hour an address, where the first client has one.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const more = new azure.ExtraClients("direct", { resourceGroupName: group.name, location: group.location, egress: nat, clientCidr: "10.0.1.0/24", count: 3 });
 * export const addresses = azure.sourcesOf(more.clients);
 * ```
 */
export class ExtraClients extends pulumi.ComponentResource {
  /** Each further client's values, in order. */
  readonly clients: readonly ExtraClient[];

  constructor(name: string, args: ExtraClientsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:MoreClients", name, {}, opts);
    checkArgs("ExtraClients", extraClientsSchema, args);
    this.clients = Array.from({ length: args.count }, (_, at) => this.#client(name, args, at + 2));
    this.registerOutputs({});
  }

  #client(name: string, args: ExtraClientsArgs, number: number): ExtraClient {
    const { egress, clientCidr } = args;
    const privateAddress = machineAddress(clientCidr, number);
    if (egress.attachment.publicIp === undefined) {
      return { privateAddress, publicIp: undefined, expectedSourceIps: egress.expectedSourceIps };
    }
    const ip = publicIp(`${name}-client-${number}-ip`, args, this);
    const address = addressOf(ip);
    return {
      privateAddress,
      publicIp: { id: ip.id, address },
      expectedSourceIps: [isPrivate(egress) ? privateAddress : address],
    };
  }
}

/** All source addresses of clients, each once. */
export function sourcesOf(
  clients: readonly { readonly expectedSourceIps: ExtraClient["expectedSourceIps"] }[],
): pulumi.Output<string[]> {
  return pulumi
    .output(clients.map(({ expectedSourceIps }) => expectedSourceIps))
    .apply((all) => [...new Set(all.flat())]);
}
