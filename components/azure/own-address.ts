import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AZURE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";
import { type ArgsOf, checkArgs, text } from "../shared/args-schema.ts";
import { type AzureArgs, azureShape } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { addressOf, publicIp, publicIpOf } from "./public-ip.ts";

export const privatePathShape = {
  ...azureShape,
  /** The client's future private address; the source address that the server must see. */
  clientAddress: text,
};

/** The client of a path between private addresses. */
export interface PrivatePathArgs extends ArgsOf<typeof privatePathShape> {}

/**
 * A way out whose client has a public address of its own: to go out by, or for packages and logins only where the server sees
 * `clientAddress`.
 */
export abstract class OwnAddress extends pulumi.ComponentResource implements AzureEgress {
  abstract readonly topology: string;
  readonly attachment: AzureAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(
    type: string,
    name: string,
    args: AzureArgs & Partial<PrivatePathArgs>,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super(`egress-bench:azure:${type}`, name, {}, opts);
    const ip = publicIp(`${name}-ip`, args, this);
    this.attachment = { publicIp: publicIpOf(ip) };
    this.expectedSourceIps = [
      args.clientAddress === undefined ? addressOf(ip) : pulumi.output(args.clientAddress),
    ];
    this.ready = [ip];
  }
}

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
export class DirectEgress extends OwnAddress {
  readonly topology = "direct";
  /** TCP idle timeout of a machine's own address. */
  readonly idleTimeoutSeconds = AZURE_IDLE_SECONDS;

  constructor(name: string, args: AzureArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("DirectEgress", z.strictObject(azureShape), args);
    super("DirectEgress", name, args, opts);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}

/**
 * Client and server in two subnets of one virtual network, by their private addresses: what machines of these
 * sizes can do at best. The client has a public address of its own for packages and logins only.
 *
 * Cost: nothing for the traffic, between availability zones too.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const path = new azure.IntraVnet("same", { resourceGroupName: group.name, location: group.location, clientAddress: "10.0.1.4" });
 * ```
 */
export class IntraVnet extends OwnAddress {
  readonly topology = "intra-vnet";

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("IntraVnet", z.strictObject(privatePathShape), args);
    super("IntraVnet", name, args, opts);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
