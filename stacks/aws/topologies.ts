/**
 * The topologies of AWS: the options of each, and how it is built.
 *
 * @module
 */
import { z } from "zod";
import type { TopologyOf } from "../../bench/index.ts";
import {
  type AwsEgress,
  DEFAULT_NAT_TYPE,
  DirectEgress,
  FckNat,
  IntraVpc,
  NatGatewayEgress,
  NatInstance,
  VpcPeering,
} from "../../components/aws/index.ts";
import { cloudNatOptions, pairNatOptions } from "../../components/nat-instance/index.ts";
import { observedBy } from "../../components/shared/nat-set-up.ts";
import type { Site } from "./site.ts";
import { standbyZone } from "./zone.ts";

/** One kind of egress as a stack can name it. */
export interface AwsTopology<Options = Record<string, unknown>> {
  readonly options: z.ZodType<Options>;
  /** Whose VPC the client is in: all clients', the server's, or one of its own. */
  readonly vpc: "clients" | "server" | "own";
  make(site: Site, options: Options): AwsEgress;
}

const noOptions = z.strictObject({});

const natGatewayOptions = z.strictObject({
  availabilityMode: z.enum(["zonal", "regional"]).optional(),
  publicIpCount: z.int().optional(),
});

const image = z.string().optional();
const adminUser = z.string().optional();

/** Of T types. */
const creditMode = z.enum(["standard", "unlimited"]).optional();

/** Of machines in a group that replaces them. */
const healing = {
  /** Another machine takes its place, interface and addresses when it fails. */
  autoHeal: z.boolean().optional(),
  /** Spot instances, of further types too where the first has no capacity. */
  spot: z
    .strictObject({
      /** Beside the first one, of its architecture. */
      instanceTypes: z.array(z.string()).optional(),
      /** On-demand while no spot instance can be had. */
      onDemandFallback: z
        .strictObject({
          /** Hour of the day, UTC, 0 to 23, at which spot is tried again. 4 unless given. */
          retryHourUtc: z.int().optional(),
        })
        .optional(),
    })
    .optional(),
  /** Days, 1 to 365. */
  maximumLifetimeDays: z.int().optional(),
  creditMode,
};

/** Publishes a NAT instance's figures: `true`, or where. */
const cloudWatch = z
  .union([z.literal(true), z.strictObject({ namespace: z.string().optional() })])
  .optional();

const natInstanceOptions = cloudNatOptions.extend({
  instanceType: z.string().optional(),
  image,
  adminUser,
  publicIpCount: z.int().optional(),
  cloudWatch,
  ...healing,
});

const natInstanceHaOptions = pairNatOptions.extend({
  instanceType: z.string().optional(),
  image,
  adminUser,
  creditMode,
  /** Name of a profile that may take over. */
  iamInstanceProfile: z.string().optional(),
  /** Milliseconds between two signs of life. */
  advertisementMs: z.int().min(50).max(10_000).optional(),
  /** 2 for a standby in another zone, which is chosen and kept as the stack's own is. */
  zones: z.union([z.literal(1), z.literal(2)]).optional(),
  cloudWatch,
});

const fckNatOptions = z.strictObject({
  instanceType: z.string().optional(),
  image,
  imageName: z.string().optional(),
  adminUser,
  observed: z.boolean().optional(),
  ...healing,
});

/** The registry: one line a topology, for each whose record names AWS. */
export const topologies: Readonly<Record<TopologyOf<"aws">, AwsTopology>> = {
  direct: topology({ options: noOptions, vpc: "clients", make: direct }),
  "nat-gateway": topology({
    options: natGatewayOptions,
    vpc: "clients",
    make: natGateway,
  }),
  "nat-instance": topology({
    options: natInstanceOptions,
    vpc: "clients",
    make: natInstance,
  }),
  "nat-instance-ha": topology({ options: natInstanceHaOptions, vpc: "clients", make: natInstanceHa }),
  "fck-nat": topology({ options: fckNatOptions, vpc: "clients", make: fckNat }),
  "intra-vpc": topology({ options: noOptions, vpc: "server", make: intraVpc }),
  "vpc-peering": topology({ options: noOptions, vpc: "own", make: vpcPeering }),
};

/** The options have passed the schema beside which they stand. */
function topology<Options>(entry: AwsTopology<Options>): AwsTopology {
  return entry as unknown as AwsTopology;
}

function direct({ name, tags }: Site): AwsEgress {
  return new DirectEgress(name, { tags });
}

function natGateway(
  site: Site,
  { availabilityMode, publicIpCount }: z.infer<typeof natGatewayOptions>,
): AwsEgress {
  const { name, tags, internetReady, zone, network, publicSubnet, clientSubnet } = site;
  const place =
    availabilityMode === "regional"
      ? // With a zone its addresses are known, and the path can be proved.
        { availabilityMode, vpcId: network.vpcId, zone }
      : { subnetId: publicSubnet.subnetId };
  return new NatGatewayEgress(name, {
    ...place,
    tags,
    internetReady,
    publicIpCount,
    privateRouteTableIds: [clientSubnet.routeTableId],
  });
}

/** Where the machines that do NAT are built. */
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
  const { instanceType, image, adminUser, publicIpCount, cloudWatch, ...others } = options;
  const { autoHeal, spot, maximumLifetimeDays, creditMode, ...nat } = others;
  return new NatInstance(site.name, {
    ...natPlace(site),
    ...(instanceType === undefined ? {} : { instanceType }),
    image,
    adminUser,
    publicIpCount,
    cloudWatch,
    autoHeal,
    spot,
    maximumLifetimeDays,
    creditMode,
    nat: observedBy([site.clientCidr], nat),
  });
}

function natInstanceHa(site: Site, options: z.infer<typeof natInstanceHaOptions>): AwsEgress {
  const { instanceType, image, adminUser, creditMode, iamInstanceProfile, cloudWatch, ...others } = options;
  const { advertisementMs, zones, ...nat } = others;
  const standby = zones === 2 ? standbySubnet(site, instanceType) : undefined;
  const place = natPlace(site);
  return new NatInstance(site.name, {
    ...place,
    internetReady: standby === undefined ? place.internetReady : [...place.internetReady, standby.associated],
    ...(instanceType === undefined ? {} : { instanceType }),
    image,
    adminUser,
    creditMode,
    iamInstanceProfile,
    cloudWatch,
    highAvailability: { advertisementMs, standbySubnetId: standby?.subnetId },
    nat: observedBy([site.clientCidr], nat),
  });
}

/** Of another zone, for the second machine of a pair. */
function standbySubnet({ name, network, zone, freeCidr }: Site, instanceType = DEFAULT_NAT_TYPE) {
  return network.publicSubnet(`${name}-standby`, freeCidr(), standbyZone(name, zone, instanceType));
}

function fckNat(site: Site, { instanceType, ...options }: z.infer<typeof fckNatOptions>): AwsEgress {
  return new FckNat(site.name, {
    ...natPlace(site),
    ...options,
    ...(instanceType === undefined ? {} : { instanceType }),
  });
}

function intraVpc({ name, tags, clientAddress }: Site): AwsEgress {
  return new IntraVpc(name, { tags, clientAddress });
}

function vpcPeering(site: Site): AwsEgress {
  const { name, tags, clientAddress, network, serverNetwork } = site;
  const client = { vpcId: network.vpcId, cidr: network.cidr, routeTableId: site.clientSubnet.routeTableId };
  const server = {
    vpcId: serverNetwork.vpcId,
    cidr: serverNetwork.cidr,
    routeTableId: site.serverSubnet.routeTableId,
  };
  return new VpcPeering(name, { tags, clientAddress, client, server });
}
