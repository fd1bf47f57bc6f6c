import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AZURE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";
import { checkArgs, text } from "../shared/args-schema.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { regionTag } from "./regions.ts";

const defaultSnatSchema = z.strictObject({
  /** Region of the client. */
  location: text,
});

/** The client's place. */
export interface DefaultSnatArgs extends Readonly<z.infer<typeof defaultSnatSchema>> {}

/**
 * Default outbound access: a machine without an egress in a subnet that is not private gets a public address of
 * Azure's, unknown beforehand and free to change.
 *
 * Since the address is unknown, a server can only be opened to the service tag of the region, that is to every
 * customer's machines there, and the path is proved by what the address is not: one of this stack's.
 *
 * Cost: none beside traffic.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.DefaultSnat("default", { location: "japaneast" });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24", attachment: egress.attachment });
 * ```
 */
export class DefaultSnat extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "default-snat";
  readonly attachment: AzureAttachment = { defaultOutboundAccess: true };
  /** TCP idle timeout, Azure's default. */
  readonly idleTimeoutSeconds = AZURE_IDLE_SECONDS;
  readonly hosts = [] as const;
  readonly expectedSourceIps: string[] = [];
  readonly sourceServiceTag: pulumi.Output<string>;
  readonly ready = [] as const;

  constructor(name: string, args: DefaultSnatArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:DefaultSnat", name, {}, opts);
    checkArgs("DefaultSnat", defaultSnatSchema, args);
    this.sourceServiceTag = pulumi.output(args.location).apply(regionTag);
  }
}
