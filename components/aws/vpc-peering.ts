import { Route } from "@pulumi/aws/ec2/route.js";
import { VpcPeeringConnection } from "@pulumi/aws/ec2/vpcPeeringConnection.js";
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, text } from "../shared/args-schema.ts";
import { invalid, named } from "../shared/arguments.ts";
import { cidrsOverlap } from "../shared/cidr.ts";
import { tagsOf } from "./common.ts";
import { OwnAddress, privatePathShape } from "./own-address.ts";

const peeringEnd = z.strictObject({
  vpcId: text,
  /** The whole VPC's block. Plain text, since the ends are checked against each other at preview. */
  cidr: z.string(),
  /** Route table of the machine's subnet; gets a route to the other VPC. */
  routeTableId: text,
});

export interface PeeringEndArgs extends Readonly<z.infer<typeof peeringEnd>> {}

const vpcPeeringSchema = z.strictObject({
  ...privatePathShape,
  /** The client's VPC; its block must not overlap the server's. */
  client: peeringEnd,
  /** In the same account and region. */
  server: peeringEnd,
});

/** The two VPCs. */
export interface VpcPeeringArgs extends Readonly<z.infer<typeof vpcPeeringSchema>> {}

/**
 * Client and server in two peered VPCs, by their private addresses.
 *
 * Cost: nothing within an availability zone, 0.01 USD a GB each way between zones.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const path = new aws.VpcPeering("peering", {
 *   client: { vpcId: vpc.id, cidr: "10.0.0.0/16", routeTableId: privateRoutes.id },
 *   server: { vpcId: otherVpc.id, cidr: "10.1.0.0/16", routeTableId: otherRoutes.id },
 *   clientAddress: "10.0.1.4",
 * });
 * ```
 */
export class VpcPeering extends OwnAddress {
  readonly topology = "vpc-peering";

  constructor(name: string, args: VpcPeeringArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("VpcPeering", vpcPeeringSchema, args);
    const { client, server } = args;
    if (named("cidr", () => cidrsOverlap(client.cidr, server.cidr))) {
      throw invalid(
        "client.cidr",
        `${client.cidr} overlaps server.cidr ${server.cidr}, and VPCs that overlap cannot be peered; choose another block`,
      );
    }
    super("VpcPeering", name, args, opts);
    const peering = new VpcPeeringConnection(
      `${name}-peering`,
      {
        vpcId: client.vpcId,
        peerVpcId: server.vpcId,
        autoAccept: true,
        tags: tagsOf(`${name}-peering`, args),
      },
      { parent: this },
    );
    const route = (end: string, from: PeeringEndArgs, to: PeeringEndArgs) =>
      new Route(
        `${name}-from-${end}`,
        {
          routeTableId: from.routeTableId,
          destinationCidrBlock: to.cidr,
          vpcPeeringConnectionId: peering.id,
        },
        { parent: this, deleteBeforeReplace: true },
      );
    this.ready.push(route("client", client, server), route("server", server, client));
  }
}
