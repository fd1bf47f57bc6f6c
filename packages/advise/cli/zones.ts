/** Zones of NATs and of their clients, if a log has them. */

import { groupBy } from "../../../bench/group-by.ts";
import { type Database, number, type Row, text } from "../../../cli/database.ts";
import * as sql from "../src/sql/zones.ts";
import type { NatZones } from "../src/traffic.ts";

/** Null: no NAT is known, or the log names neither zones nor subnets. */
export async function zonesOf(database: Database, nats: readonly number[]): Promise<NatZones | null> {
  const rows = nats.length === 0 ? [] : await database.rows(sql.natZones(nats));
  if (rows.every(({ zone }) => zone === null)) {
    return null;
  }
  await database.run(sql.homeTable);
  await database.run(sql.clientZoneTable(nats));
  return zonesFrom(rows, await database.rows(sql.zoneBytes(nats)));
}

/**
 * @param rows Id, vpc, zone and az of each NAT's interfaces
 * @param crossing Bytes by zone of the client and of the NAT
 */
export function zonesFrom(rows: readonly Row[], crossing: readonly Row[]): NatZones | null {
  const places = [...groupBy(rows, ({ id }) => id).values()].flatMap((own) => {
    const named = own.filter(({ zone }) => zone !== null);
    return named.length > 0 ? named : own.slice(0, 1);
  });
  if (places.every(({ zone }) => zone === null)) {
    return null;
  }
  const between = crossing.map((row) => ({
    client: String(row.client),
    nat: String(row.nat),
    bytes: number(row.bytes),
  }));
  return {
    gateways: places.length,
    zones: [...new Set(places.flatMap(({ zone }) => text(zone) ?? []))].sort(),
    named: places.every(({ az }) => az !== null),
    vpcs: Math.max(1, new Set(places.flatMap(({ vpc }) => text(vpc) ?? [])).size),
    ...sharesOf(between),
  };
}

interface Between {
  readonly client: string;
  readonly nat: string;
  readonly bytes: number;
}

function sharesOf(between: readonly Between[]): Pick<NatZones, "crossingShare" | "crossingShareOfOne"> {
  const sum = (some: readonly Between[]) => some.reduce((all, { bytes }) => all + bytes, 0);
  const all = sum(between);
  if (all === 0) {
    return { crossingShare: null, crossingShareOfOne: null };
  }
  const ofZone = [...new Set(between.map(({ client }) => client))].map((zone) =>
    sum(between.filter(({ client }) => client === zone)),
  );
  return {
    crossingShare: sum(between.filter(({ client, nat }) => client !== nat)) / all,
    crossingShareOfOne: 1 - Math.max(...ofZone) / all,
  };
}
