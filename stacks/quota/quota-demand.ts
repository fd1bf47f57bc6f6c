/** A stack's use of an account's quotas, computed from its inventory. */
import { type PricedCloud, topologyNamed } from "../../bench/index.ts";
import { vcpusOf } from "../../bench/machines/vcpus.ts";
import type { Inventory } from "../inventory.ts";
import { withoutApiVersion } from "../versioned-aliases.ts";

export interface CountedResource {
  readonly type: string;
  /** Machine size or instance type; null if it has none. */
  readonly size: string | null;
  /** Azure's region; null on AWS, which counts by the provider's region. */
  readonly region: string | null;
  /** Whether it is a spot instance on AWS, which has its own quota. @default false */
  readonly spot?: boolean | undefined;
}

export interface QuotaDemand {
  /** Quota in the cloud's words: `cores`, `standardDLSv5Family`, or a code of AWS such as `L-1216C47A`. */
  readonly quota: string;
  readonly title: string;
  readonly region: string | null;
  readonly amount: number;
}

/**
 * Counted types of resources, with their quota. Source of the codes:
 * docs.aws.amazon.com/general/latest/gr/ec2-service.html, vpc-service.html
 */
const awsQuotas: Readonly<Record<string, readonly [quota: string, title: string]>> = {
  "aws:ec2/eip:Eip": ["L-0263D0A3", "Elastic IP addresses"],
  "aws:ec2/vpc:Vpc": ["L-F678F1CE", "VPCs"],
  "aws:ec2/natGateway:NatGateway": ["L-FE5A380F", "NAT gateways of a zone"],
};

/** Quotas of on-demand and spot instances by the family's letters; each counts vCPUs. Source: the same pages. */
const awsFamilies: readonly (readonly [letters: RegExp, onDemand: string, spot: string, family: string])[] = [
  [
    /^(a|c|d|h|i|im|is|m|r|t|z)\d/,
    "L-1216C47A",
    "L-34B43A08",
    "Standard instances (A, C, D, H, I, M, R, T, Z)",
  ],
  [/^f\d/, "L-74FC7D96", "L-88CF9481", "F instances"],
  [/^(g|vt)\d/, "L-DB2E81BA", "L-3819A6DF", "G and VT instances"],
  [/^p\d/, "L-417A185B", "L-7212CCBC", "P instances"],
  [/^x\d/, "L-7295265B", "L-E3A00192", "X instances"],
];

const AWS_MACHINES: ReadonlySet<string> = new Set([
  "aws:ec2/instance:Instance",
  // A group of one: its template names a type for on-demand, the group itself for spot.
  "aws:ec2/launchTemplate:LaunchTemplate",
  "aws:autoscaling/group:Group",
]);

/** A stack's use of AWS's quotas, by title. Unknown types do not count. */
export function awsDemand(resources: readonly CountedResource[]): QuotaDemand[] {
  return summed(
    resources.flatMap(({ type, size, spot = false }): QuotaDemand[] => {
      const own = awsQuotas[type];
      if (own !== undefined) {
        return [{ quota: own[0], title: own[1], region: null, amount: 1 }];
      }
      const family = awsFamilies.find(([letters]) => AWS_MACHINES.has(type) && letters.test(size ?? ""));
      const amount = vcpusOf("aws", size ?? "");
      if (family === undefined || amount === null) {
        return [];
      }
      const [, onDemandQuota, spotQuota, title] = family;
      const quota = spot ? spotQuota : onDemandQuota;
      return [{ quota, title: `vCPUs of ${spot ? "spot" : "on-demand"} ${title}`, region: null, amount }];
    }),
  );
}

const AZURE_MACHINE = "azure-native:compute:VirtualMachine";
const AZURE_ADDRESS = "azure-native:network:PublicIPAddress";

/** A stack's use of Azure's quotas, which are per region. Unknown sizes do not count. */
export function azureDemand(resources: readonly CountedResource[]): QuotaDemand[] {
  return summed(
    resources.flatMap(({ type: token, size, region }): QuotaDemand[] => {
      const type = withoutApiVersion(token);
      if (type === AZURE_ADDRESS) {
        return [
          { quota: "StandardSkuPublicIpAddresses", title: "Standard public addresses", region, amount: 1 },
        ];
      }
      const amount = vcpusOf("azure", size ?? "");
      if (type !== AZURE_MACHINE || amount === null) {
        return [];
      }
      const family = azureFamily(size ?? "");
      return [
        { quota: "cores", title: "vCPUs of all families", region, amount },
        ...(family === null ? [] : [{ quota: family, title: `vCPUs of ${family}`, region, amount }]),
      ];
    }),
  );
}

/** Azure's name of a size's quota, in Azure's mixture of cases; null where unknown. */
export function azureFamily(size: string): string | null {
  const [, burstable] = /^Standard_B\d+([ap]?)[tl]?s_v2$/.exec(size) ?? [];
  if (burstable !== undefined) {
    return `standardB${burstable}sv2Family`;
  }
  const [, series, letters = "", version = ""] =
    /^Standard_([A-Z]+)\d+([a-z]*)(?:_(v\d+))?$/.exec(size) ?? [];
  if (series === undefined) {
    return null;
  }
  return series === "B" ? "standardBSFamily" : `standard${series}${letters.toUpperCase()}${version}Family`;
}

/** Resource providers that a subscription must have registered. */
export const azureProviders = ["Microsoft.Compute", "Microsoft.Network", "Microsoft.Resources"];

export const quotaDemandOf: Readonly<Record<PricedCloud, (inventory: Inventory) => QuotaDemand[]>> = {
  aws: (inventory) =>
    awsDemand([
      ...inventory.hosts.flatMap(({ size, purchase }) => {
        const machine = { type: "aws:ec2/instance:Instance", size, region: null };
        return [
          ...(purchase === "on demand" ? [] : [{ ...machine, spot: true }]),
          ...(purchase === "spot" ? [] : [machine]),
        ];
      }),
      ...unsized("aws:ec2/eip:Eip", inventory.addresses.length),
      ...unsized("aws:ec2/vpc:Vpc", inventory.networks),
      // A regional gateway counts once in each of its zones: the quota is per zone.
      ...inventory.paths.flatMap(({ topology }) =>
        unsized("aws:ec2/natGateway:NatGateway", topologyNamed(topology)?.nat === "gateway" ? 1 : 0),
      ),
    ]),
  azure: ({ hosts, addresses }) =>
    azureDemand([
      ...hosts.map(({ size, region = null }) => ({ type: AZURE_MACHINE, size, region })),
      ...addresses.map(({ region = null }) => ({ type: AZURE_ADDRESS, size: null, region })),
    ]),
};

function unsized(type: string, count: number): CountedResource[] {
  return Array.from({ length: count }, () => ({ type, size: null, region: null }));
}

function summed(demands: readonly QuotaDemand[]): QuotaDemand[] {
  const sums = new Map<string, QuotaDemand>();
  for (const demand of demands) {
    const key = `${demand.region} ${demand.quota}`;
    sums.set(key, { ...demand, amount: demand.amount + (sums.get(key)?.amount ?? 0) });
  }
  return [...sums.values()].sort(
    (one, other) =>
      (one.region ?? "").localeCompare(other.region ?? "") || one.title.localeCompare(other.title),
  );
}
