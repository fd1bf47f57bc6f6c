import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type ArgsOf, objectOf } from "../shared/args-schema.ts";
import type { Egress } from "../shared/egress.ts";
import { assignments, textOf } from "../shared/shell.ts";
import { type TopologyAddresses, topologyAddresses } from "./addresses.ts";
import { type LabHost, labHost, type OwnLink } from "./host.ts";
import { bootCommand, standingBoot } from "./lab-command.ts";
import { linkShapeSchema, unnumberedEnd } from "./link.ts";
import { bootScript } from "./power.ts";

/** The forwarder's interface in the private subnet. */
export const PRIVATE_INTERFACE = "eth0";

export const labEgressShape = {
  /** Host at the far end of the forwarder's outer link: the server, or the router in front of several. */
  server: objectOf<LabHost>("a LabHost", "dataAddress"),
  /** Number of the topology within the lab, from 1; decides its addresses. */
  index: z.int(),
  /** Rate and delay of the link between forwarder and server. @default no limit, no delay */
  serverLink: linkShapeSchema.optional(),
};

/** Arguments of every topology of the lab. */
export interface LabEgressArgs extends ArgsOf<typeof labEgressShape> {}

/** Attachment of a client to a forwarder. */
export interface LabAttachment {
  /** The host that clients go through. */
  readonly forwarder: LabHost;
  readonly addresses: TopologyAddresses;
  /** Whether the server sees the forwarder's address; else it sees each client's own. */
  readonly translates: boolean;
}

interface ForwarderArgs extends LabEgressArgs {
  /** Shell script that makes the host forward, run as user data would be. */
  readonly script: string;
  /** Whether it does NAT; else the server has a route to the private subnet. */
  readonly translates: boolean;
}

/** A way out through one host between client and server. */
export abstract class Forwarder extends pulumi.ComponentResource implements Egress<LabAttachment> {
  abstract readonly topology: string;
  readonly attachment: LabAttachment;
  readonly hosts;
  readonly expectedSourceIps: string[];
  readonly ready: readonly pulumi.Resource[];

  constructor(type: string, name: string, args: ForwarderArgs, opts?: pulumi.ComponentResourceOptions) {
    super(`egress-bench:local:${type}`, name, {}, opts);
    const addresses = topologyAddresses(args.index);
    const { server, translates } = args;
    const link = serverLink(args, addresses);
    const role = translates ? "nat" : "router";
    const host = labHost(`${name}-box`, server.lab, role, addresses.gateway, this, link);
    const script = bootScript(privateSubnetScript(addresses) + args.script);
    // Rules that were changed or flushed since then are restored by the next `pulumi up`.
    const boot = standingBoot(host.labName, host.name) ?? randomUUID();
    const after = { parent: this, dependsOn: [host.machine] };
    this.attachment = { forwarder: host, addresses, translates };
    this.hosts = [host] as const;
    this.expectedSourceIps = [translates ? addresses.outside : addresses.client];
    // Exists once the host forwards.
    this.ready = [bootCommand(`${name}-box-boot`, host, { script, boot }, after)];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}

function serverLink(args: ForwarderArgs, { outside, privateCidr }: TopologyAddresses): OwnLink {
  const { server } = args;
  const far = server.dataAddress;
  const back = args.translates ? [] : [{ to: privateCidr, via: outside }];
  return {
    end: unnumberedEnd("eth1", outside, [far], [{ to: "default", via: far }]),
    peer: { host: server, ...unnumberedEnd(`eth${args.index}`, far, [outside], back) },
    shape: args.serverLink,
  };
}

/** The private subnet exists before its clients, as in a cloud: a bridge that each of them joins. */
function privateSubnetScript({ gateway }: TopologyAddresses): string {
  return `${bridgesScript([PRIVATE_INTERFACE])}ip address replace ${gateway}/24 dev ${PRIVATE_INTERFACE}\n`;
}

/** Shell that makes bridges, each a switch of its own. */
export function bridgesScript(bridges: readonly string[]): string {
  return assignments({ bridges }) + textOf("./bridges.sh", import.meta.url);
}
