/** Records of topologies. Documents and stack files that must agree with them: tests/documents/documents.test.ts. */
import { expect, it } from "vitest";
import { isPriced, topologies, topologyNamed } from "../../../bench/topologies/index.ts";
import { priceSnapshots } from "../../../report/index.ts";

const charged = Object.entries(topologies).flatMap(([name, { clouds, charges }]) =>
  clouds.filter(isPriced).map((cloud) => [name, cloud, charges] as const),
);

it.each(charged)("%s has a price for each of its charges on %s", (_, cloud, charges) => {
  const here = charges.filter(({ clouds }) => clouds?.includes(cloud) ?? true);
  const meters = priceSnapshots[cloud].prices.map(({ meter }) => meter.replace(/^vm-hour:.*/, "vm-hour"));
  expect(meters).toEqual(expect.arrayContaining(here.map(({ meter }) => meter)));
});

it.each(["constructor", "no-such", ""])("%j is not a topology", (name) => {
  expect(topologyNamed(name)).toBeUndefined();
});
