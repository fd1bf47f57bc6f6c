/** Tables of prices by region, which `docs/generate/prices.ts` makes. */
/** Prices of some meters in some regions, all from one list. */
export interface PriceTable {
  /** The cloud's page where readers can check them. */
  readonly page: string;
  /** The list and its date. `null`: no list was read, so the prices are unverified. */
  readonly checked: string | null;
  readonly regions: readonly string[];
  /** Monthly units from which each tier applies. @default one tier, from 0 */
  readonly from?: readonly number[];
  /** By meter: a price for each region, in their order, its tiers joined by `/`; `-` where not known. */
  readonly rows: Readonly<Record<string, string>>;
}

/** One price of a table, as a price book has it. */
export interface TablePrice {
  readonly meter: string;
  readonly region: string;
  readonly tiers: { readonly from: number; readonly price: number }[];
  readonly source: string;
  readonly checked: string | null;
}

/** The prices of a table. */
export function tablePrices({ page, checked, regions, from = [0], rows }: PriceTable): TablePrice[] {
  return Object.entries(rows).flatMap(([meter, row]) =>
    row.split(" ").flatMap((cell, at): TablePrice[] =>
      cell === "-"
        ? []
        : [
            {
              ...{ meter, region: regions[at] as string, source: page, checked },
              tiers: cell
                .split("/")
                .map((price, tier) => ({ from: from[tier] as number, price: Number(price) })),
            },
          ],
    ),
  );
}
