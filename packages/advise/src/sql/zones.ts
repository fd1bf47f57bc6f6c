/**
 * SQL over zones: the zones of NATs and of their clients, by fields of each interface (AWS: `az-id`, `subnet-id`,
 * `vpc-id`).
 */
import { classCode } from "./legs.ts";

/** Zones of NATs; a regional NAT gateway's interface has several. Subnets replace missing zone names. */
export function natZones(nats: readonly number[]): string {
  return `select i.id, min(vpc) as vpc, coalesce(az, subnet) as zone, min(az) as az
    from raw join interface i using (iface) where reason = 0 and i.id in (${nats.join(", ")}) group by i.id, coalesce(az, subnet)
    order by i.id, zone`;
}

/** The zone of each interface that has one. */
export const homeTable = `create table home as
  select i.id as iface, min(az) as az from raw join interface i using (iface) where reason = 0 and az is not null
  group by i.id having count(distinct az) = 1`;

/** The zone of each private address that exchanges traffic with public ones through its own interface. */
export function clientZoneTable(nats: readonly number[]): string {
  return `create table client_zone as select local as id, min(home.az) as az from outside join home using (iface)
    where iface not in (${nats.join(", ")}) group by local having count(distinct home.az) = 1`;
}

/** Bytes between clients and NATs by their zones, from the NATs' inside records. */
export function zoneBytes(nats: readonly number[]): string {
  const side = (
    address: string,
  ) => `select c.az as client, n.az as nat, bytes + back_bytes as bytes from record r
    join home n on r.iface = n.iface join client_zone c on r.${address} = c.id
    where r.iface in (${nats.join(", ")}) and accept and class in (${classCode("inside")}, ${classCode("forwarded")})`;
  return `select client, nat, sum(bytes)::double as bytes from (${side("a")} union all ${side("b")}) group by all order by all`;
}
