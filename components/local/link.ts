import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import type { EndArgs, LinkEndArgs } from "./host.ts";
import type { LinkShape } from "./lab/shaping.ts";
import { labCommand } from "./lab-command.ts";

/** An end with an address and no subnet. @param peers Addresses on the link. @param beyond Routes through one of them. */
export function unnumberedEnd(
  device: string,
  address: string,
  peers: readonly string[],
  beyond: EndArgs["routes"] = [],
): EndArgs {
  const routes = [...peers.map((peer) => ({ to: `${peer}/32` })), ...beyond];
  return { interface: device, address: `${address}/32`, routes };
}

export const linkShapeSchema: z.ZodType<LinkShape> = z.strictObject({
  bitsPerSecond: z.number().optional(),
  delayMs: z.number().optional(),
});

const linkEnd = objectOf<LinkEndArgs>("{ host, ... }");

const linkSchema = z.strictObject({
  /** The two hosts, with interface, addresses and routes of each. */
  ends: z.tuple([linkEnd, linkEnd]).readonly(),
  /** Rate and delay of the link. @default no limit, no delay */
  shape: linkShapeSchema.optional(),
});

/** A link's two ends and its shape. */
export interface LinkArgs extends Readonly<z.infer<typeof linkSchema>> {}

/**
 * A veth pair between two hosts of one lab, with addresses, routes and an optional rate and delay.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import * as local from "egress-bench/local";
 *
 * const link = new local.Link("wire", {
 *   ends: [
 *     { host: client, interface: "lan0", address: "198.18.1.2/24" },
 *     { host: server, interface: "lan1", address: "198.18.1.1/24" },
 *   ],
 *   shape: { bitsPerSecond: 200e6, delayMs: 5 },
 * });
 * ```
 */
export class Link extends pulumi.ComponentResource {
  /** Exists once the link carries traffic. */
  readonly ready: pulumi.Resource;

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:Link", name, {}, opts);
    checkArgs("Link", linkSchema, args);
    const hosts = args.ends.map((end) => end.host);
    const spec = {
      lab: args.ends[0].host.labName,
      ends: args.ends.map((end) => ({ ...end, host: end.host.name })),
      shape: args.shape ?? {},
    };
    this.ready = labCommand(
      name,
      { operation: "link", spec, triggers: [...hosts.map((host) => host.identity), digest(spec)] },
      { parent: this, dependsOn: hosts.map((host) => host.machine) },
    );
  }
}

/** Digest of a document: the state keeps a trigger twice, beside the document itself. */
function digest(spec: object): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16);
}
