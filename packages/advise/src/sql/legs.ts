/** SQL from `raw` to `leg`: traffic between the private side and public addresses, each record once. */
import { addressKinds } from "../addresses.ts";

const kind = (name: (typeof addressKinds)[number]) => addressKinds.indexOf(name);

/** Numbers all addresses. */
export const addressTable = `create table address as
  select (row_number() over (order by a))::integer as id, a from
  (select src as a from raw where reason = 0 union select dst from raw where reason = 0)`;

/** Kind of each address, filled by the program, one row per address. */
export const placeTable =
  "create table place (id integer, kind utinyint, service varchar, region varchar, prefix varchar)";

/** Services by the log itself, which is more reliable than published ranges. */
export const servicesOfLog = `update place set service = found.service from (
  select address.id, min(service) as service from (
    select src as a, src_service as service from raw where src_service is not null
    union all select dst, dst_service from raw where dst_service is not null) as named
  join address using (a) group by all) as found where place.id = found.id`;

/** Numbers all interfaces in the records. */
export const interfaceTable = `create table interface as
  select (row_number() over ())::integer as id, iface from (select distinct iface from raw where reason = 0)`;

/**
 * Kind of a pair of addresses, as a NAT sees it.
 *
 * - `outside`: between the private side and a public address: traffic for a NAT
 * - `inside`: between private addresses
 * - `forwarded`: the inside leg of such traffic at a machine that forwards it
 * - `ipv6`: to public IPv6, which needs no NAT
 * - `local`: multicast, link-local, loopback
 * - `public`: between public addresses; which one is the owner's cannot be seen
 * - `invalid`: one is not an address
 */
const pairClasses = ["outside", "inside", "forwarded", "ipv6", "local", "public", "invalid"] as const;
/** One of {@link pairClasses}. */
export type PairClass = (typeof pairClasses)[number];

const either = (name: (typeof addressKinds)[number]) => `(ka = ${kind(name)} or kb = ${kind(name)})`;
const classes: readonly (readonly [string, PairClass])[] = [
  [either("invalid"), "invalid"],
  [either("local"), "local"],
  [`ka = ${kind("private")} and kb = ${kind("private")}`, "inside"],
  [
    `(${either("public")} or ${either("nat64")}) and (dir = 'I' and not swap or dir = 'O' and swap)`,
    "forwarded",
  ],
  [`${either("private")} and (${either("public")} or ${either("nat64")})`, "outside"],
  [`${either("public6")} and ${either("nat64")}`, "outside"],
  [either("public6"), "ipv6"],
];

/** The class of a pair by `ka`, `kb`, `dir` and `swap`. */
export const pairClass = `case ${classes.map(([when, name]) => `when ${when} then ${classCode(name)}`).join(" ")}
  else ${classCode("public")} end`;

const flow = "iface, a, b, sport, dport, proto";
const alike = `${flow}, packets, bytes, back_packets, back_bytes, s, e, accept`;

/** Rows with numbers instead of names. */
export const numberedTable = `create table numbered as
  select i.id as iface, a.id as a, b.id as b, sport, dport, proto, packets, bytes, back_packets, back_bytes, s, e, accept,
    opener, inside, dir, untimed, path
  from raw join address a on raw.src = a.a join address b on raw.dst = b.a join interface i using (iface) where reason = 0`;

/** Whether any row shows the opener of its flow. */
export const anyOpener = "select coalesce(max(opener), 0) > 0 as known from numbered";

/** Lower bound of the number of duplicate rows. Grouped, since the engine holds all of `count(distinct)`. */
export const alikeRows = `select coalesce(sum(n - 1), 0)::double as n from
  (select count(*) as n from numbered group by hash(${alike})) where n > 1`;

/** Exact number of duplicate rows, once `distinctTable` exists. */
export const repeatedRows =
  "select (select count(*) from numbered)::double - (select count(*) from once)::double as n";

/** Distinct rows. */
export const distinctTable = "create table once as select distinct * from numbered";

/** The longest time between two tuples of a flow that carries traffic. */
const AZURE_LONGEST_MS = 300_000;

/**
 * Start of an Azure tuple's figures: the flow's previous tuple. Without one the flow was open before the log begins, and its
 * first tuple may cover the longest interval.
 */
export const timedTable = `create table timed as
  select * exclude (s, h), case when untimed then greatest(coalesce(lag(e) over (partition by h order by e, untimed, bytes), 0),
    e - ${AZURE_LONGEST_MS}) else s end as s
  from (select *, hash(${flow}) as h from once)`;

/** Rows with their pair's class. @param from `numbered`, `once` or `timed` */
export function recordView(from: string): string {
  return `create view record as
  with sided as (select t.*, pa.kind as ka, pb.kind as kb,
    ${isSwapped("pa.kind", "pb.kind")} as swap
    from ${from} t join place pa on t.a = pa.id join place pb on t.b = pb.id)
  select *, ${pairClass} as class from sided`;
}

/** Whether the destination is the private side, by the kinds of both. */
export function isSwapped(source: string, destination: string): string {
  return `not (${source} = ${kind("private")} or (${source} = ${kind("public6")} and ${destination} = ${kind("nat64")}))`;
}

/** A class's number in the tables. */
export function classCode(name: PairClass): number {
  return pairClasses.indexOf(name);
}

/** Bytes and records by class and verdict of the security rules. */
export const classTotals = `select class, accept, count(*)::double as records, sum(bytes + back_bytes)::double as bytes
  from record group by all`;

/**
 * Interfaces that forward others' traffic, i.e. NATs: by a log that says so, or by equal traffic of private and public side on
 * each service port, within a tenth.
 */
export const natInterfaces = `with port as (
    select iface, least(sport, dport) as port, coalesce(sum(bytes) filter (class = ${classCode("inside")}), 0)::double as private,
      coalesce(sum(bytes) filter (class = ${classCode("outside")}), 0)::double as public
    from record where accept and sport is not null group by all),
  volume as (select iface, sum(abs(private - public)) as apart, sum(public) as public from port group by iface),
  said as (select iface, bool_or(inside) as inside,
    bool_or(class = ${classCode("forwarded")}) and bool_or(class = ${classCode("outside")}) as forwarded from record group by iface)
  select i.id, i.iface as name, case when starts_with(i.iface, 'nat-') then 'resource'
    when inside then 'packet addresses' when forwarded then 'direction' else 'volumes' end as reason
  from interface i join said on said.iface = i.id left join volume on volume.iface = i.id
  where starts_with(i.iface, 'nat-') or inside or forwarded or (public > 0 and apart <= 0.1 * public) order by i.iface`;

/** The end that opened a flow, by its ports: the lower port belongs to the server, unless both are ephemeral. */
export const byPort =
  "not (lport is not null and proto in (6, 17) and lport < rport and (lport < 1024 or lport < 32768 and rport >= 32768))";

/** Accepted records between the private side and public addresses, seen from the private side: `h` identifies a flow. */
export const outsideView = `create view outside as
  with oriented as (select hash(${flow}) as one, hash(iface, b, a, dport, sport, proto) as other, swap, iface, path,
    case when swap then b else a end as local, case when swap then dport else sport end as lport,
    case when swap then a else b end as remote, case when swap then sport else dport end as rport, proto,
    case when swap then back_bytes else bytes end as out_bytes, case when swap then bytes else back_bytes end as in_bytes,
    case when swap then back_packets else packets end as out_packets, case when swap then packets else back_packets end as in_packets,
    s, e, case when opener = 0 then null else (opener = 1) <> swap end as opened
    from record where class = ${classCode("outside")} and accept)
  select * exclude (one, other, swap), case when swap then other else one end as h from oriented`;

/** AWS's `traffic-path` of packets to another interface of the network, such as a NAT's. Higher values bypass it. */
export const THROUGH_THE_NETWORK = 1;

/**
 * Flows that bypassed every NAT by AWS's `traffic-path`: through a gateway endpoint, an internet gateway, a peering.
 * Incoming packets have no path, so a flow's outgoing packets decide for both.
 *
 * @param counted Interfaces whose records always count. Null: all do.
 */
export function pastTable(counted: readonly number[] | null): string {
  const where = counted === null ? "false" : `path > ${THROUGH_THE_NETWORK}${others(counted)}`;
  return `create table past as select h, max(path) as path from outside where ${where} group by h`;
}

function others(interfaces: readonly number[]): string {
  return interfaces.length === 0 ? "" : ` and iface not in (${interfaces.join(", ")})`;
}

/** Bytes of {@link pastTable}'s flows by path. */
export const pastBytes = `select past.path, sum(out_bytes + in_bytes)::double as bytes
  from outside join past using (h) group by past.path order by past.path`;

const at = (nats: readonly number[]) => `iface in (${nats.join(", ")})`;
const inner = (nats: readonly number[]) =>
  `from record where ${at(nats)} and accept and class in (${classCode("inside")}, ${classCode("forwarded")})`;

/** Whether the log has these NATs' inside legs, which show the clients: with at least half the bytes of the outside. */
export function insideLegs(nats: readonly number[]): string {
  return `select (select coalesce(sum(bytes + back_bytes), 0) ${inner(nats)})
    >= 0.5 * (select coalesce(sum(out_bytes + in_bytes), 0) from outside where ${at(nats)}) as known`;
}

/**
 * Bytes of other interfaces that these NATs did not carry: a client's traffic with a service's port beyond the NATs' traffic
 * with that client; without inside legs, the traffic with a server beyond the NATs' traffic with it.
 *
 * @param byClient Whether the log has inside legs
 */
export function unseenBytes(nats: readonly number[], byClient: boolean): string {
  const carried = byClient
    ? `select a as who, dport as port, proto, 0, bytes + back_bytes ${inner(nats)}
      union all select b, sport, proto, 0, bytes + back_bytes ${inner(nats)}`
    : `select remote, rport, proto, 0, out_bytes + in_bytes from outside where ${at(nats)}`;
  return `with leg as (select ${byClient ? "local" : "remote"} as who, rport as port, proto, out_bytes + in_bytes as others, 0 as nats
      from outside where not ${at(nats)} and coalesce(opened, ${byPort}) and h not in (select h from past)
    union all ${carried}),
  beyond as (select sum(others)::double - sum(nats)::double as bytes from leg group by who, port, proto)
  select coalesce(sum(greatest(0, bytes)), 0)::double as bytes from beyond`;
}

/**
 * Traffic that a NAT carried: `outbound` is true where the private side opened the flow.
 *
 * @param nats The NATs' interfaces: only their records count, and flows behind them are never opened from outside. Null: no
 * NAT is known, and all records count except those of {@link pastTable}.
 * @param hasOpeners Whether some records show the opener of their flow, which then applies to its other records too.
 */
export function legTable(nats: readonly number[] | null, hasOpeners: boolean): string {
  const where = nats === null ? "h not in (select h from past)" : `iface in (${nats.join(", ")})`;
  return `create table leg as
  with keyed as (select * exclude (iface, path) from outside where ${where})
  ${
    hasOpeners && nats === null
      ? `, openers as (select h, bool_or(opened) as opened from keyed where opened is not null group by h)
      select keyed.* exclude (opened), coalesce(openers.opened, ${byPort}) as outbound from keyed left join openers using (h)`
      : `select * exclude (opened), ${nats === null ? byPort : "true"} as outbound from keyed`
  }`;
}
