/** The topologies of AWS: the options and construction of each. */
import { z } from "zod";
import type { TopologyOf } from "../../bench/index.ts";
import {
  type AwsEgress,
  DEFAULT_NAT_TYPE,
  DirectEgress,
  FckNat,
  fckNatSchema,
  IntraVpc,
  NatGatewayEgress,
  NatInstance,
  natInstanceSchema,
  VpcPeering,
} from "../../components/aws/index.ts";
import { natGatewaySchema } from "../../components/aws/nat-gateway-args.ts";
import { advertisementMs, cloudNatOptions, pairNatOptions } from "../../components/nat-instance/index.ts";
import { ConfigError } from "../config.ts";
import { componentOptions } from "../nat-options.ts";
import type { Site } from "./site.ts";
import { standbyZone } from "./zone.ts";

export interface AwsTopology<Options = Record<string, unknown>> {
  readonly options: z.ZodType<Options>;
  /** VPC of the client: the shared one of all clients, the server's, or its own. */
  readonly vpc: "clients" | "server" | "own";
  make(site: Site, options: Options): AwsEgress;
}

const noOptions = z.strictObject({});

const natGatewayOptions = natGatewaySchema.pick({ availabilityMode: true, publicIpCount: true }).extend({
  zones: z
    .array(z.string())
    .min(1)
    .refine((all) => new Set(all).size === all.length, "names a zone twice")
    .optional()
    .meta({
      description:
        "Zones of a regional gateway, the clients' among them, each with its own addresses and the price of a gateway. " +
        "AWS takes 15 to 20 minutes, and up to an hour, to serve a zone that is added; cases measured earlier fail.",
      fallback: "the clients' zone",
    }),
});

const natInstanceOptions = cloudNatOptions.extend(
  natInstanceSchema.pick({
    instanceType: true,
    image: true,
    adminUser: true,
    publicIpCount: true,
    cloudWatch: true,
    securityGroup: true,
    autoHeal: true,
    spot: true,
    maximumLifetimeDays: true,
    creditMode: true,
  }).shape,
);

const natInstanceHaOptions = pairNatOptions.extend({
  ...natInstanceSchema.pick({
    instanceType: true,
    image: true,
    adminUser: true,
    creditMode: true,
    iamInstanceProfile: true,
    cloudWatch: true,
    securityGroup: true,
  }).shape,
  advertisementMs,
  zones: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .meta({
      description: "2 for a standby in another zone, which is chosen and kept like the stack's own zone.",
      default: 1,
    }),
});

const fckNatOptions = fckNatSchema.pick({
  instanceType: true,
  image: true,
  imageName: true,
  adminUser: true,
  observed: true,
  autoHeal: true,
  spot: true,
  maximumLifetimeDays: true,
  creditMode: true,
});

/** The registry: one line for each topology whose record names AWS. */
export const topologies: Readonly<Record<TopologyOf<"aws">, AwsTopology>> = {
  direct: topology({ options: noOptions, vpc: "clients", make: direct }),
  "nat-gateway": topology({ options: natGatewayOptions, vpc: "clients", make: natGateway }),
  "nat-instance": topology({ options: natInstanceOptions, vpc: "clients", make: natInstance }),
  "nat-instance-ha": topology({ options: natInstanceHaOptions, vpc: "clients", make: natInstanceHa }),
  "fck-nat": topology({ options: fckNatOptions, vpc: "clients", make: fckNat }),
  "intra-vpc": topology({ options: noOptions, vpc: "server", make: intraVpc }),
  "vpc-peering": topology({ options: noOptions, vpc: "own", make: vpcPeering }),
};

/** A topology whose options have passed its schema. */
function topology<Options>(entry: AwsTopology<Options>): AwsTopology {
  return entry as unknown as AwsTopology;
}

function direct({ name, tags }: Site): AwsEgress {
  return new DirectEgress(name, { tags });
}

function natGateway(
  site: Site,
  { availabilityMode, publicIpCount = 1, zones }: z.infer<typeof natGatewayOptions>,
): AwsEgress {
  const { name, tags, internetReady, zone, network, publicSubnet, clientSubnet } = site;
  if (zones !== undefined && availabilityMode !== "regional") {
    throw new ConfigError(
      `egress-bench:topologies: ${name}: zones is for a regional gateway; set availabilityMode to "regional", or leave zones out`,
    );
  }
  const addresses =
    zones === undefined
      ? { publicIpCount }
      : { zones: Object.fromEntries(zones.map((one) => [one, publicIpCount])) };
  // Naming the clients' zone makes their source addresses known, so that the path can be proved.
  const regional = { zone, ...addresses };
  const place =
    availabilityMode === "regional"
      ? { availabilityMode, vpcId: network.vpcId, ...regional }
      : { subnetId: publicSubnet.subnetId, publicIpCount };
  return new NatGatewayEgress(name, {
    ...place,
    tags,
    internetReady,
    privateRouteTableIds: [clientSubnet.routeTableId],
  });
}

function natPlace({ tags, network, publicSubnet, clientSubnet, clientCidr, ssh, internetReady }: Site) {
  return {
    tags,
    ssh,
    internetReady,
    vpcId: network.vpcId,
    subnetId: publicSubnet.subnetId,
    privateRouteTableIds: [clientSubnet.routeTableId],
    privateCidrs: [clientCidr],
  };
}

function natInstance(site: Site, options: z.infer<typeof natInstanceOptions>): AwsEgress {
  return new NatInstance(site.name, { ...natPlace(site), ...componentOptions(options, site.clientCidr) });
}

function natInstanceHa(site: Site, options: z.infer<typeof natInstanceHaOptions>): AwsEgress {
  const { advertisementMs, zones, ...others } = componentOptions(options, site.clientCidr);
  const standby = zones === 2 ? standbySubnet(site, others.instanceType as string | undefined) : undefined;
  const place = natPlace(site);
  return new NatInstance(site.name, {
    ...place,
    ...others,
    internetReady: standby === undefined ? place.internetReady : [...place.internetReady, standby.associated],
    highAvailability: { advertisementMs, standbySubnetId: standby?.subnetId },
  });
}

/** A subnet of another zone, for the second machine of a pair. */
function standbySubnet({ name, network, zone, freeCidr }: Site, instanceType = DEFAULT_NAT_TYPE) {
  return network.publicSubnet(`${name}-standby`, freeCidr(), standbyZone(name, zone, instanceType));
}

function fckNat(site: Site, options: z.infer<typeof fckNatOptions>): AwsEgress {
  return new FckNat(site.name, { ...natPlace(site), ...options });
}

function intraVpc({ name, tags, clientAddress }: Site): AwsEgress {
  return new IntraVpc(name, { tags, clientAddress });
}

function vpcPeering(site: Site): AwsEgress {
  const { name, tags, clientAddress, network, serverNetwork } = site;
  const client = { vpcId: network.vpcId, cidr: network.cidr, routeTableId: site.clientSubnet.routeTableId };
  const { routeTableId } = site.serverSubnet;
  const server = { vpcId: serverNetwork.vpcId, cidr: serverNetwork.cidr, routeTableId };
  return new VpcPeering(name, { tags, clientAddress, client, server });
}
