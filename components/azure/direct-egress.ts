import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AZURE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { type AzureArgs, azureShape } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { addressOf, publicIp, publicIpOf } from "./public-ip.ts";

/**
 * The baseline: a public IP on the client's network interface.
 *
 * Cost: the address, 0.005 USD an hour, and traffic.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.DirectEgress("direct", { resourceGroupName: group.name, location: group.location });
 * export const clientAddress = egress.expectedSourceIps;
 * ```
 */
export class DirectEgress extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "direct";
  /** Requirements of a client that goes out through it. */
  readonly attachment: AzureAttachment;
  /** TCP idle timeout of a machine's own address. */
  readonly idleTimeoutSeconds = AZURE_IDLE_SECONDS;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];
  readonly pathReady = [] as const;

  constructor(name: string, args: AzureArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:DirectEgress", name, {}, opts);
    checkArgs("DirectEgress", z.strictObject(azureShape), args);
    const ip = publicIp(`${name}-ip`, args, this);
    this.attachment = { publicIp: publicIpOf(ip) };
    this.expectedSourceIps = [addressOf(ip)];
    this.ready = [ip];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
