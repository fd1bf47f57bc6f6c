/** SQL of the addresses whose traffic a free endpoint takes: what is left has a busiest minute and flows of its own. */
import { groupBy } from "../../../../bench/group-by.ts";
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { readPrefix } from "../addresses.ts";
import { endpoints } from "../endpoints.ts";
import type { RangeEntry } from "../ranges.ts";
import type { Dialect } from "./dialects.ts";
import { quoted } from "./raw.ts";

/** Makes `egress_bench_free`: `remote`, and `region`, that of its service. */
export function freeTable(dialect: Dialect, cloud: PricedCloud, entries: readonly RangeEntry[]): string {
  const free: readonly string[] = endpoints[cloud].free.services;
  const blocks = entries.flatMap(({ service, region, prefix }) => {
    const block = readPrefix(prefix);
    if (region === null || block?.first.bits !== 32 || !free.includes(service)) {
      return [];
    }
    const size = 2 ** (32 - block.length);
    return [{ size, first: Number(block.first.value) / size, region }];
  });
  const text = (region: string) => `cast(${region} as ${dialect.text})`;
  const name = `cast(remote as ${dialect.text})`;
  const octet = (at: number) => `try_cast(split_part(${name}, '.', ${at}) as bigint)`;
  const number = [1, 2, 3, 4].map((at) => `${octet(at)} * ${256 ** (4 - at)}`).join(" + ");
  const sizes = [...groupBy(blocks, ({ size }) => size).keys()].map((size) => `(${size})`);
  const rows = blocks.map(({ size, first, region }) => `(${size}, ${first}, ${quoted(region)})`);
  return dialect.makeTable(
    "egress_bench_free",
    blocks.length === 0
      ? `select remote, ${text("null")} as region from egress_bench_outside where 1 = 0`
      : `select remote, ${text("min(blocks.region)")} as region
    from (select remote, ${number} as number from egress_bench_outside where counted = 1 and outbound = 1 group by remote
      having max(case when service not in (${free.map(quoted).join(", ")}) then 1 else 0 end) = 0) named
    cross join (values ${sizes.join(", ")}) as sizes (size)
    join (values ${rows.join(", ")}) as blocks (size, first, region)
      on blocks.size = sizes.size and blocks.first = ${dialect.divided("named.number", "sizes.size")} group by remote`,
  );
}
