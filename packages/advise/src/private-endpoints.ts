/** Compares charged endpoints of a subnet, billed by hour and GB, with the NAT traffic that they save. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { type Cost, findPrice, HOURS_PER_MONTH, type PriceBook, tieredCost } from "../../../report/index.ts";
import { type EndpointKind, endpoints } from "./endpoints.ts";
import type { ServiceMonth } from "./month.ts";

export interface PrivateEndpoint extends ServiceMonth {
  readonly kind: EndpointKind<"charged">;
  /** Monthly cost of one endpoint in one zone, with the service's traffic. Null: a price is not known. */
  readonly cost: number | null;
  /** Saving on today's NAT minus `cost`; negative: it costs more. Null: a price is not known. */
  readonly saving: number | null;
  /** GB per month from which it pays off. Null: never, or a price is not known. */
  readonly paysFromGb: number | null;
}

/**
 * Cost and saving of a private endpoint for each service in the deployment's region.
 *
 * @param natSaves Monthly saving on the present NAT without a service's traffic.
 */
export function privateEndpointsOf(
  cloud: PricedCloud,
  services: readonly ServiceMonth[],
  book: PriceBook,
  natSaves: (part: ServiceMonth) => number | null,
): PrivateEndpoint[] {
  const { kind, services: known } = endpoints[cloud].charged;
  return services
    .filter(({ service }) => known.includes(service))
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
