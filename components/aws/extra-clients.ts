import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import * as shared from "../shared/bench-pair.ts";
import { awsShape, type PublicIp } from "./common.ts";
import { egressSchema } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";

/** One more client: its addresses, and its source addresses at the server. */
export interface ExtraClient extends shared.ExtraClient<PublicIp> {}

const extraClientsSchema = z.strictObject({
  ...awsShape,
  /** The clients' way out. */
  egress: egressSchema,
  ...shared.extraClientsShape,
});

/** The egress of the clients and the number of extra ones. */
export interface ExtraClientsArgs extends Readonly<z.infer<typeof extraClientsSchema>> {}

/**
 * Addresses of further clients. They exist before the servers, which admit them by name. A client has an Elastic IP
 * where the first one has; an account has five a region unless it asks for more.
 *
 * Cost: 0.005 USD an hour an address, where the first client has one.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const more = new aws.ExtraClients("direct", { egress: nat, clientCidr: "10.0.1.0/24", count: 3 });
 * export const clients = more.clients;
 * ```
 */
export class ExtraClients extends pulumi.ComponentResource {
  /** Each further client's values, in order. */
  readonly clients: readonly ExtraClient[];

  constructor(name: string, args: ExtraClientsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:MoreClients", name, {}, opts);
    checkArgs("ExtraClients", extraClientsSchema, args);
    this.clients = shared.extraClients(args, (number) =>
      publicIpOf(elasticIp(`${name}-client-${number}-eip`, args, this)),
    );
    this.registerOutputs({});
  }
}
