import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import * as shared from "../shared/bench-pair.ts";
import { azureShape } from "./common.ts";
import { type AzureAttachment, egressSchema } from "./egress.ts";
import { publicIp, publicIpOf } from "./public-ip.ts";

/** One more client: its addresses, and its source addresses at the server. */
export interface ExtraClient extends shared.ExtraClient<NonNullable<AzureAttachment["publicIp"]>> {}

const extraClientsSchema = z.strictObject({
  ...azureShape,
  /** The clients' way out. */
  egress: egressSchema,
  ...shared.extraClientsShape,
});

/** The egress of the clients and the number of extra ones. */
export interface ExtraClientsArgs extends Readonly<z.infer<typeof extraClientsSchema>> {}

/**
 * Addresses of further clients. They exist before the servers, which admit them by name. A client has a public
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
    this.clients = shared.extraClients(args, (number) =>
      publicIpOf(publicIp(`${name}-client-${number}-ip`, args, this)),
    );
    this.registerOutputs({});
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
