/**
 * SQL from the reduction's tables to the aggregates: one small, portable table of texts and whole numbers. Sums of whole
 * numbers are the same in every engine and in any order.
 */
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { idleTimeoutSeconds } from "../../../../bench/topologies/limits.ts";
import type { Dialect } from "./dialects.ts";
import { flowKey } from "./flows.ts";
import { classCode } from "./pairs.ts";
import { quoted } from "./raw.ts";

/** Version of the table's meaning; other versions are refused. */
export const AGGREGATES_VERSION = 6;

/** Columns: part, names, the number of the place, figures, and the row's number and the total, which reveal lost files. */
export const aggregateColumns = {
  texts: ["part", "a", "b", "c", "d"],
  numbers: ["place", "i", "j", "v1", "v2", "v3", "v4", "v5", "v6"],
  places: ["nth", "total"],
} as const;
const content = [...aggregateColumns.texts, ...aggregateColumns.numbers] as const;
type Column = (typeof content)[number];

/** A row of the table; a missing number is 0. */
export type Aggregate = Readonly<
  Record<"part", string> &
    Record<"a" | "b" | "c" | "d", string | null> &
    Record<(typeof aggregateColumns)["numbers"][number], number>
>;

type Part = Readonly<Partial<Record<Exclude<Column, "part">, string>>>;

/** Keys by which flows are counted together. */
const flowKeys = {
  all: ["place", "left_out"],
  destination: ["place", "left_out", "remote", "rport", "proto"],
  clientAndDestination: ["place", "left_out", "local", "remote", "rport", "proto"],
} as const satisfies Record<string, readonly string[]>;

/** A longer silence separates two flows with the same ports: TCP's keep-alive starts after 2 hours. */
const LONGEST_SILENCE_SECONDS = 7200;
const LONGEST = 10;
/** Silences of at least this many seconds are counted, besides those of the idle time-out. */
const MINUTE = 60;
const HOUR = 3600;

/** Parts that the tables of a log can have. */
export interface Contents {
  readonly cloud: PricedCloud;
  readonly hasNats: boolean;
  /** Whether records have ports, left_out which there are no flows. */
  readonly hasPorts: boolean;
}

/** The statement that selects all parts of AWS's logs, in order. */
export function aggregates(dialect: Dialect, named: readonly string[]): string {
  const parts = partsOf(dialect, named, { cloud: "aws", hasNats: true, hasPorts: true });
  const order = content.map((name) => `${name} nulls first`).join(", ");
  return `select ${content.join(", ")}, row_number() over (order by ${order}) as nth, count(*) over () as total from (
${parts.join("\nunion all\n")}
) parts order by nth`;
}

/** One statement per part. An engine with little memory runs them one after another. */
export function partsOf(
  dialect: Dialect,
  named: readonly string[],
  { cloud, hasNats, hasPorts }: Contents,
): string[] {
  const row = rowsIn(dialect);
  return [
    row("version", { v1: String(AGGREGATES_VERSION) }),
    ...named.filter((name) => name !== "none").map((name) => row("asked", { a: quoted(name), v1: "1" })),
    ...counts(dialect),
    row(
      "past",
      { i: "past", v1: "sum(out_bytes + in_bytes)" },
      "from egress_bench_outside where past is not null group by past",
    ),
    ...(hasNats ? nats(dialect) : []),
    ...volumes(dialect),
    ...(hasPorts ? flows(dialect, idleTimeoutSeconds[cloud]) : []),
  ];
}

/** Selects one part's rows. @param rest From `from` on */
type RowsOf = (part: string, columns: Part, rest?: string) => string;

function rowsIn(dialect: Dialect): RowsOf {
  const [, ...texts] = aggregateColumns.texts;
  return (part, columns, rest = "") => {
    const typed = (type: string) => (name: Exclude<Column, "part">) =>
      `cast(${columns[name] ?? "null"} as ${type}) as ${name}`;
    const own = [...texts.map(typed(dialect.text)), ...aggregateColumns.numbers.map(typed("bigint"))];
    return `select ${[`'${part}' as part`, ...own].join(", ")}${rest === "" ? "" : ` ${rest}`}`;
  };
}

/** Places, lines by reason, records by class, length and covered time. */
function counts(dialect: Dialect): string[] {
  const row = rowsIn(dialect);
  const minute = dialect.divided("s", 60);
  const length = "e - s";
  const valid = `reason = 0 and pair <> ${classCode("invalid")}`;
  return [
    row(
      "place",
      { place: "place", a: "account", b: "region", c: "vpc", d: "max(az)" },
      "from egress_bench_place group by place, account, region, vpc",
    ),
    row(
      "lines",
      { i: "reason", v1: "sum(n)", v2: "sum(case when reason = 0 then n - 1 else 0 end)" },
      "from egress_bench_record group by reason",
    ),
    row(
      "class",
      { i: "pair", j: "accept", v1: "count(*)", v2: "sum(bytes + back_bytes)" },
      "from egress_bench_record where reason = 0 group by pair, accept",
    ),
    row(
      "length",
      { i: length, v1: "count(*)" },
      `from egress_bench_record where ${valid} group by ${length}`,
    ),
    row(
      "covered",
      { i: minute, v1: "min(s)", v2: "max(e)", v3: "max(case when reason = 0 then 0 else 1 end)" },
      `from egress_bench_record where s is not null and (reason <> 0 or ${valid}) group by ${minute}`,
    ),
  ];
}

/** NATs' zones, and traffic between them and their clients, or past them. */
function nats(dialect: Dialect): string[] {
  const row = rowsIn(dialect);
  const isNat = "r.iface in (select iface from egress_bench_nat)";
  const inner = `${isNat} and accept = 1 and reason = 0 and pair in (${classCode("inside")}, ${classCode("forwarded")})`;
  const home = `(select iface, place, min(r.az) as az from egress_bench_record r join egress_bench_place using (iface)
    where reason = 0 and r.az is not null group by iface, place having count(distinct r.az) = 1)`;
  const clientZone = `(select local as address, min(h.az) as az from egress_bench_outside o join ${home} h on h.iface = o.iface
    where nat = 0 group by local having count(distinct h.az) = 1)`;
  const crossed = (
    side: string,
  ) => `select n.place as place, c.az as client_az, n.az as nat_az, c.address as client, bytes + back_bytes as bytes from egress_bench_record r
    join ${home} n on n.iface = r.iface join ${clientZone} c on c.address = r.${side} where ${inner}`;
  const legs = `(${crossed("a")} union all ${crossed("b")}) legs`;
  // The leg to a NAT does not tell the server: a client's own interface does, and one zone's NAT has all its traffic but for changes.
  const own = (joined = "") => `from egress_bench_outside o ${joined}where nat = 0 and past is null`;
  const bytes = "sum(out_bytes + in_bytes)";
  const part = ["sum(legs.bytes)", "min(taken.bytes)", "min(own.bytes)"].map(
    (sum) => `cast(${sum} as double)`,
  );
  const freely = `(select legs.place as place, client_az, nat_az, taken.region as region, cast(floor(${part[0]} * ${part[1]} / ${part[2]}) as bigint) as bytes
    from ${legs} join (select local as address, ${bytes} as bytes ${own()} group by local having ${bytes} > 0) own on own.address = legs.client
    join (select local as address, ends.region as region, ${bytes} as bytes ${own("join egress_bench_free ends on ends.remote = o.remote ")} group by local, ends.region) taken
      on taken.address = legs.client group by legs.place, legs.client, client_az, nat_az, taken.region) parts`;
  const ofNats = `from egress_bench_record r where ${inner}`;
  const unseen = (
    who: string,
    carried: string,
  ) => `from (select who, port, proto, sum(others) - sum(nats) as bytes from (
    select ${who} as who, rport as port, proto, out_bytes + in_bytes as others, 0 as nats from egress_bench_outside
      where nat = 0 and opened = 1 and past is null
    union all ${carried}) legs group by who, port, proto) beyond where bytes > 0`;
  return [
    row(
      "nat",
      { place: "place", a: "nats.iface", b: "reason", v1: "1" },
      "from egress_bench_nat nats join egress_bench_place homes on homes.iface = nats.iface",
    ),
    row(
      "nat zone",
      { place: "place", a: "r.iface", c: "coalesce(r.az, subnet)", d: "min(r.az)", v1: "1" },
      `from egress_bench_record r join egress_bench_place homes on homes.iface = r.iface
    where ${isNat} and reason = 0 group by place, r.iface, coalesce(r.az, subnet)`,
    ),
    row(
      "crossing",
      { place: "place", a: "client_az", b: "nat_az", v1: "sum(bytes)" },
      `from ${legs} group by place, client_az, nat_az`,
    ),
    row(
      "crossing free",
      { place: "place", a: "client_az", b: "nat_az", c: "region", v1: "sum(bytes)" },
      `from ${freely} group by place, client_az, nat_az, region`,
    ),
    row("inside", { v1: "coalesce(sum(bytes + back_bytes), 0)" }, ofNats),
    row(
      "carried",
      { v1: "coalesce(sum(out_bytes + in_bytes), 0)" },
      "from egress_bench_outside where nat = 1",
    ),
    row(
      "unseen by client",
      { v1: "coalesce(sum(bytes), 0)" },
      unseen(
        "local",
        `select a, coalesce(dport, -1), coalesce(proto, -1), 0, bytes + back_bytes ${ofNats}
    union all select b, coalesce(sport, -1), coalesce(proto, -1), 0, bytes + back_bytes ${ofNats}`,
      ),
    ),
    row(
      "unseen by server",
      { v1: "coalesce(sum(bytes), 0)" },
      unseen(
        "remote",
        "select remote, rport, proto, 0, out_bytes + in_bytes from egress_bench_outside where nat = 1",
      ),
    ),
  ];
}

/** Destinations, and minutes by the region whose free endpoints take them, and by NAT. */
function volumes(dialect: Dialect): string[] {
  const row = rowsIn(dialect);
  const minute = (time: string) => dialect.divided(time, 60);
  // A record's bytes up to a time: whole numbers that add up to the record's bytes.
  const until = (bytes: string, time: string) => dialect.divided(`${bytes} * (${time} - s)`, "(e - s)");
  const from = "case when s > 60 * w then s else 60 * w end";
  const to = "case when e < 60 * w + 60 then e else 60 * w + 60 end";
  const share = (bytes: string) =>
    `sum(case when e = s then ${bytes} else ${until(bytes, to)} - ${until(bytes, from)} end)`;
  const whole = (bytes: string) => `sum(case when ${minute("s")} = ${minute("e")} then ${bytes} else 0 end)`;
  return [
    row(
      "destination",
      {
        place: "place",
        a: "remote",
        b: "min(service)",
        i: "outbound",
        v1: "sum(out_bytes)",
        v2: "sum(in_bytes)",
        v3: "sum(out_packets)",
        v4: "sum(in_packets)",
        v5: "count(*)",
      },
      "from egress_bench_outside where counted = 1 group by place, remote, outbound",
    ),
    row(
      "minute",
      {
        place: "place",
        a: "free",
        b: "gateway",
        i: "w",
        v1: share("out_bytes"),
        v2: share("in_bytes"),
        v3: whole("out_bytes"),
        v4: whole("in_bytes"),
        v5: "sum(out_bytes)",
        v6: "sum(in_bytes)",
      },
      `from (select place, free, gateway, s, e, out_bytes, in_bytes, w from (select place, s, e, out_bytes, in_bytes, ends.region as free,
      case when nat = 1 then iface end as gateway from egress_bench_outside o left join egress_bench_free ends on ends.remote = o.remote
      where counted = 1 and outbound = 1) legs ${dialect.eachNumber(minute("s"), minute("e"), "w")}) touched group by place, free, gateway, w`,
    ),
  ];
}

/** The most concurrent and the most new flows, by each group of `flowKeys`, and silences. */
function flows(dialect: Dialect, idleSeconds: number): string[] {
  const row = rowsIn(dialect);
  const silent = `gap > 0 and gap <= ${LONGEST_SILENCE_SECONDS} and proto in (6, 17)`;
  const ofFlow = `(select ${flowKey}, left_out, max(gap) as gap from egress_bench_mark where ${silent} group by ${flowKey}, left_out) longest`;
  const over = (seconds: number) => `sum(case when gap >= ${seconds} then 1 else 0 end)`;
  const most = Object.entries(flowKeys).flatMap(([group, keys]) => [
    highest(row, "least at once", group, keys, atOnce(keys, "upto")),
    highest(row, "most at once", group, keys, atOnce(keys, `upto + ${idleSeconds} + 1`)),
    highest(
      row,
      "opened",
      group,
      keys,
      `select ${list(keys)}count(*) as flows from egress_bench_mark where fresh = 1
    group by ${list(keys)}${dialect.divided("s", 60)}`,
    ),
  ]);
  return [
    ...most,
    row(
      "spans",
      { place: "place", b: "left_out", v1: "sum(fresh)", v2: "count(distinct local)" },
      "from egress_bench_mark group by place, left_out",
    ),
    row(
      "silence",
      {
        ...{ place: "place", b: "left_out", v1: "max(gap)" },
        ...{ v2: over(MINUTE), v3: over(idleSeconds), v4: over(HOUR) },
      },
      `from ${ofFlow} group by place, left_out`,
    ),
    row(
      "longest silence",
      {
        ...{ place: "place", a: "local", b: "left_out", c: "remote" },
        ...{ i: "rport", j: "proto", v1: "gap", v2: "nth" },
      },
      `from (select longest.*, row_number() over (partition by place, left_out order by gap desc, remote, rport, local, proto, lport, iface) as nth from ${ofFlow}) ranked where nth <= ${LONGEST}`,
    ),
  ];
}

const list = (keys: readonly string[]) => keys.map((name) => `${name}, `).join("");

/** The number of flows at each time at which it changes. */
function atOnce(keys: readonly string[], end: string): string {
  return `select ${list(keys)}sum(step) over (partition by ${keys.join(", ")} order by t) as flows from (
    select ${list(keys)}t, sum(step) as step from (select ${list(keys)}s as t, 1 as step from egress_bench_mark where fresh = 1
      union all select ${list(keys)}${end}, -1 from egress_bench_mark where final = 1) event group by ${list(keys)}t) net`;
}

/** The key for a flow's private end. Equal groups are ordered by it last. */
const OWN_END = "local";

/** The group with the most; among equal ones the first by name. */
function highest(row: RowsOf, name: string, group: string, keys: readonly string[], counted: string): string {
  const has = (key: string) => keys.includes(key);
  const columns = {
    ...{ place: "place", a: `'${group}'`, b: "left_out", v1: "flows" },
    ...(has("remote") ? { c: "remote", i: "rport", j: "proto" } : {}),
    ...(has(OWN_END) ? { d: "local" } : {}),
  };
  const order = [
    "flows desc",
    ...keys.filter((key) => key !== OWN_END),
    ...keys.filter((key) => key === OWN_END),
  ];
  return row(
    name,
    columns,
    `from (select most.*, row_number() over (partition by place, left_out order by ${order.join(", ")}) as nth from (
    select ${list(keys)}max(flows) as flows from (${counted}) counted group by ${keys.join(", ")}) most) ranked
    where nth = 1`,
  );
}
