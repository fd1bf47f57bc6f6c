/** Compares charged endpoints of a subnet, billed by hour and GB, with the NAT traffic that they save. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { type Cost, findPrice, HOURS_PER_MONTH, type PriceBook, tieredCost } from "../../../report/index.ts";
import type { MonthlyTraffic, ServiceMonth } from "./month.ts";

/** AWS's interface endpoints and Azure's private endpoints: an address in the subnet, on AWS one per zone. */
type PrivateEndpointKind = "interface endpoint" | "private endpoint";

export interface PrivateEndpoint extends ServiceMonth {
  readonly kind: PrivateEndpointKind;
  /** Monthly cost of one endpoint in one zone, with the service's traffic. Null: a price is not known. */
  readonly cost: number | null;
  /** Saving on today's NAT minus `cost`; negative: it costs more. Null: a price is not known. */
  readonly saving: number | null;
  /** GB per month from which it pays off. Null: never, or a price is not known. */
  readonly paysFromGb: number | null;
}

/**
 * Services with an interface endpoint, by their names in the range lists, except those with a free gateway endpoint. `AMAZON`
 * stands for services without a name of their own: ECR, SQS, STS, CloudWatch and most others.
 * https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
 */
const interfaceEndpoints: ReadonlySet<string> = new Set([
  "AMAZON",
  "AMAZON_APPFLOW",
  "API_GATEWAY",
  "AURORA_DSQL",
  "CODEBUILD",
  "EBS",
  "KINESIS_VIDEO_STREAMS",
]);

/** https://learn.microsoft.com/azure/private-link/availability */
const privateEndpoints: ReadonlySet<string> = new Set([
  "Storage",
  "Sql",
  "AzureCosmosDB",
  "AzureKeyVault",
  "ServiceBus",
  "EventHub",
  "AppService",
  "AzureContainerRegistry",
]);

export const chargedEndpoints = {
  aws: {
    kind: "interface endpoint",
    services: interfaceEndpoints,
    count: "one endpoint in one zone for each; AMAZON is many services, each with an endpoint of its own",
  },
  azure: {
    kind: "private endpoint",
    services: privateEndpoints,
    count: "one endpoint for each, if the free one does not suffice",
  },
} as const;

/**
 * Cost and saving of a private endpoint for each service in the deployment's region.
 *
 * @param natSaves Monthly saving on the present NAT without some traffic.
 */
export function privateEndpointsOf(
  cloud: PricedCloud,
  services: readonly ServiceMonth[],
  book: PriceBook,
  natSaves: (traffic: MonthlyTraffic) => number | null,
): PrivateEndpoint[] {
  const { kind, services: known } = chargedEndpoints[cloud];
  return services
    .filter(({ service }) => known.has(service))
    .map((one) => ({ ...one, kind, ...money(one, book, natSaves(one)) }));
}

function money(
  { region, gbIn, gbOut }: ServiceMonth,
  book: PriceBook,
  natSaving: Cost["totalCost"],
): Pick<PrivateEndpoint, "cost" | "saving" | "paysFromGb"> {
  const hour = findPrice(book, "private-endpoint-hour", region);
  const data = findPrice(book, "private-endpoint-gb", region);
  if (hour === null || data === null) {
    return { cost: null, saving: null, paysFromGb: null };
  }
  const gb = gbIn + gbOut;
  const fixedCost = tieredCost(hour.tiers, HOURS_PER_MONTH);
  const dataCost = tieredCost(data.tiers, gb);
  const gainPerGb = natSaving === null || gb === 0 ? 0 : (natSaving - dataCost) / gb;
  return {
    cost: fixedCost + dataCost,
    saving: natSaving === null ? null : natSaving - fixedCost - dataCost,
    paysFromGb: gainPerGb > 0 ? fixedCost / gainPerGb : null,
  };
}
