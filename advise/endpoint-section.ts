/** The section on endpoints, which take traffic off the NAT. */
import { type Block, list, type Section, table } from "../report/document/document.ts";
import { textTable } from "../report/tables/table.ts";
import type { Advice } from "./advice.ts";
import { isCounted } from "./counters/notes.ts";
import { chargedEndpoints } from "./private-endpoints.ts";
import { costText, volume } from "./words.ts";

/** Free and charged endpoints, with their savings. */
export function endpoints({
  endpoints: found,
  privateEndpoints,
  now,
  cloud,
  traffic,
  currency,
}: Advice): Section {
  const rows = found.map(({ service, region, kind, share, gbIn, gbOut, saving }) => [
    service,
    region,
    kind,
    volume(gbIn * 1e9),
    volume(gbOut * 1e9),
    `${(share * 100).toFixed(1)} %`,
    costText(saving, currency),
  ]);
  const head = ["Service", "Region", "By", "In a month", "Out a month", "Share", "Saves a month"];
  return {
    id: "endpoints",
    heading: "Traffic that need not go through NAT",
    blocks: [
      ...list([known(found.length, isCounted(traffic))]),
      ...table(textTable(head, rows), "Services that have a free endpoint"),
      ...privateTable(privateEndpoints, { now: now.topology, cloud, currency }),
    ],
  };
}

function known(number: number, counted: boolean): string {
  return counted
    ? "Not known: metrics and bills name no destination. Free endpoints may take traffic off the NAT; a flow log of a day tells (--flow-logs)."
    : number === 0
      ? "No traffic goes to a service of your region that has a free endpoint, as far as addresses tell."
      : "These endpoints are routes of the subnet and free of charge.";
}

function privateTable(
  found: Advice["privateEndpoints"],
  { now, cloud, currency }: Pick<Advice, "cloud" | "currency"> & { readonly now: string },
): Block[] {
  const rows = found.map(({ service, region, kind, gbIn, gbOut, cost, saving, paysFromGb }) => [
    service,
    region,
    kind,
    volume((gbIn + gbOut) * 1e9),
    costText(cost, currency),
    costText(saving, currency),
    paysFromGb === null ? "never, or not known" : volume(paysFromGb * 1e9),
  ]);
  const head = [
    "Service",
    "Region",
    "By",
    "A month",
    "Costs a month",
    `Saves, against ${now}`,
    "Pays from, a month",
  ];
  const caption = `Services that have an endpoint by the hour and GB: ${chargedEndpoints[cloud].count}`;
  return table(textTable(head, rows), caption);
}
