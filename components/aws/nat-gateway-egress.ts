import { getNatGateway } from "@pulumi/aws/ec2/getNatGateway.js";
import { NatGateway, type NatGatewayArgs } from "@pulumi/aws/ec2/natGateway.js";
import * as pulumi from "@pulumi/pulumi";
import { limits } from "../../bench/topologies/limits.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { type PublicIp, type PublicSubnetArgs, tagsOf } from "./common.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { elasticIps, publicIpOf } from "./elastic-ip.ts";
import { assertNatGatewayArgs, type NatGatewayEgressArgs, natGatewaySchema } from "./nat-gateway-args.ts";
import { defaultRoutes, publicSubnetId } from "./routes.ts";

const published = limits.aws["nat-gateway"];
type Zones = readonly { readonly zone: pulumi.Input<string>; readonly addresses: readonly PublicIp[] }[];

/**
 * A managed NAT gateway, and the routes of private subnets to it. Its own subnet must not be one of them: it would
 * route to itself.
 *
 * Limits: 5 to 100 Gbit/s and 1 to 10 million packets a second, scaling by itself; 55,000 connections an address and
 * destination; a connection idle for 350 s ends with RST.
 *
 * Cost (USD, us-east-1): 0.045 an hour (regional: an availability zone) and 0.045 a GB in either direction, 0.005 an
 * hour an address; about 33 a month before traffic. A NAT instance on a t4g.micro costs about a third and nothing a GB.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const egress = new aws.NatGatewayEgress("egress", {
 *   subnetId: publicSubnet.id,
 *   privateRouteTableIds: [privateRoutes.id],
 *   publicIpCount: 2,
 *   internetReady: [internetGatewayRoute],
 * });
 * ```
 */
export class NatGatewayEgress extends pulumi.ComponentResource implements AwsEgress {
  readonly topology = "nat-gateway";
  readonly gateway: NatGateway;
  readonly attachment: AwsAttachment = {};
  /** TCP idle timeout, fixed by AWS. */
  readonly idleTimeoutSeconds = published.idleSeconds;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string[]>;
  /** Addresses of zones other than the measured clients'. */
  readonly forbiddenSourceIps: pulumi.Output<string[]> | undefined;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:NatGatewayEgress", name, {}, opts);
    checkArgs("NatGatewayEgress", natGatewaySchema, args);
    assertNatGatewayArgs(args);
    const regional = args.availabilityMode === "regional";
    const automatic = regional && args.zone === undefined && args.zones === undefined;
    // Separate resources, of which the new one exists before the old one goes: the provider cannot plan a zonal gateway's
    // change to a regional one, and replaces one that chooses its zones by one whose zones are given.
    const own = automatic ? `${name}-automatic` : regional ? `${name}-regional` : name;
    const zones = automatic ? [] : this.#zones(own, args);
    const addresses = zones.flatMap((one) => one.addresses);
    this.gateway = new NatGateway(
      `${own}-nat-gateway`,
      {
        ...(regional ? regionalPlace(args, zones) : this.#zonalPlace(args, addresses)),
        tags: tagsOf(`${own}-nat-gateway`, args),
      },
      // An address is in one gateway at a time.
      { parent: this, dependsOn: [...(args.internetReady ?? [])], deleteBeforeReplace: true },
    );
    const routes = defaultRoutes(
      name,
      args,
      { natGatewayId: regional ? this.#unmoved(zones) : this.gateway.id },
      this,
    );
    this.expectedSourceIps = automatic
      ? this.gateway.regionalNatGatewayAddresses.apply((all) => all.map(({ publicIp }) => publicIp))
      : pulumi.output(addresses.map(({ address }) => address));
    this.forbiddenSourceIps = args.zone === undefined ? undefined : elsewhere(args.zone, zones);
    this.ready = [this.gateway, ...routes];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /** The gateway's zones. A zonal gateway's only zone is its subnet's. */
  #zones(name: string, args: NatGatewayEgressArgs): Zones {
    const { zones, zone = "", publicIps, publicIpCount = 1 } = args;
    return zones === undefined
      ? [{ zone, addresses: publicIps ?? this.#publicIps(name, args, publicIpCount, args.zone) }]
      : Object.entries(zones).map(([of, wanted]) => ({
          zone: of,
          addresses: typeof wanted === "number" ? this.#publicIps(`${name}-${of}`, args, wanted) : wanted,
        }));
  }

  /** @param zone Another zone gets other addresses: AWS would refuse those that the former zone still has. */
  #publicIps(
    name: string,
    args: NatGatewayEgressArgs,
    count: number,
    zone?: pulumi.Input<string>,
  ): PublicIp[] {
    return elasticIps(name, args, count, this, zone).map(publicIpOf);
  }

  /** The gateway's id. A preview refuses an address that another of its zones has: the provider adds before it takes away. */
  #unmoved(zones: Zones): pulumi.Output<string> {
    const wanted = zones.map(({ zone, addresses }) => ({ zone, ids: addresses.map(({ id }) => id) }));
    return checkedAtPreview(
      pulumi.output({ id: this.gateway.id, wanted }),
      async ({ id, wanted: known }) => {
        const { regionalNatGatewayAddresses } = await getNatGateway({ id }, { parent: this });
        return regionalNatGatewayAddresses.flatMap(({ allocationId, availabilityZone: had }) =>
          known
            .filter(({ zone, ids }) => zone !== had && ids.includes(allocationId))
            .map(({ zone }) => ({ allocationId, had, zone })),
        );
      },
      ([moved]) => {
        if (moved !== undefined) {
          throw invalid(
            "publicIps",
            `${moved.allocationId} is in ${moved.had} of the gateway, and AWS takes it for ${moved.zone} only once it is free; give ${moved.zone} other addresses and run pulumi up, then give it this one`,
          );
        }
      },
    ).apply(({ id }) => id);
  }

  #zonalPlace(args: NatGatewayEgressArgs, addresses: readonly PublicIp[]): NatGatewayArgs {
    const [primary, ...secondary] = addresses.map(({ id }) => id);
    return {
      // Present: assertNatGatewayArgs checked it.
      subnetId: publicSubnetId(args as PublicSubnetArgs, this),
      allocationId: primary as pulumi.Input<string>,
      // Set even when empty: if left out, the provider keeps the gateway's present ones.
      secondaryAllocationIds: secondary,
    };
  }
}

function regionalPlace(args: NatGatewayEgressArgs, zones: Zones): NatGatewayArgs {
  return {
    availabilityMode: "regional",
    // Present: assertNatGatewayArgs checked it.
    vpcId: args.vpcId as pulumi.Input<string>,
    availabilityZoneAddresses:
      zones.length === 0
        ? undefined
        : zones.map(({ zone, addresses }) => ({
            availabilityZone: besideClients(zone, args),
            allocationIds: addresses.map(({ id }) => id),
          })),
  };
}

/**
 * A zone of a gateway that serves the measured clients' zone too.
 * @throws {pulumi.InputPropertyError} by the output: a gateway with `zones` expands to no other zone, so its clients would
 * have no way out.
 */
function besideClients(
  zone: pulumi.Input<string>,
  { zone: clients, zones }: NatGatewayEgressArgs,
): pulumi.Input<string> {
  return clients === undefined || zones === undefined
    ? zone
    : pulumi.all([zone, clients]).apply(([one, own]) => {
        if (!(own in zones)) {
          const served = Object.keys(zones).join(", ");
          throw invalid(
            "zones",
            `the clients are in ${own}, and the gateway serves ${served} only; name their zone too`,
          );
        }
        return one;
      });
}

/** Addresses of the other zones, which no measured client may be seen with. */
function elsewhere(clients: pulumi.Input<string>, zones: Zones): pulumi.Output<string[]> {
  return pulumi.output(clients).apply((own) => {
    const others = zones.filter(({ zone }) => zone !== own).flatMap(({ addresses }) => addresses);
    return pulumi.output(others.map(({ address }) => address));
  });
}
