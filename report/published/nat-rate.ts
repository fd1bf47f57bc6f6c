/** Published rates, by others, of machines as NAT instances. */
import { z } from "zod";
import published from "../../results/published.json" with { type: "json" };

const schema = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      natSize: z.string().optional(),
      cases: z.array(z.record(z.string(), z.union([z.string(), z.number()]))).default([]),
    }),
  ),
});
const withSizes = schema.parse(published).results.filter(({ natSize }) => natSize !== undefined);

/** TCP through a NAT instance of this size, in bits per second in the slower direction. Null: no publication has both directions. */
export function publishedNatRate(
  size: string,
): { readonly bitsPerSecond: number; readonly by: string } | null {
  const [first] = withSizes.flatMap(({ id, natSize, cases }) => {
    const of = (name: string) =>
      cases.flatMap((one) =>
        one.case === name && one.unit === "Gbit/s" ? [Number(one["nat-instance"])] : [],
      );
    const [out, back] = [of("tcp-egress")[0], of("tcp-ingress")[0]];
    return natSize === size && out !== undefined && back !== undefined
      ? [{ bitsPerSecond: Math.min(out, back) * 1e9, by: id }]
      : [];
  });
  return first ?? null;
}
