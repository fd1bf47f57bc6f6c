/** Counts flows of the engine's `leg` table: concurrent ones, new ones, and their silences. */

import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { idleTimeoutSeconds } from "../../../bench/topologies/limits.ts";
import { type Database, number } from "../../../cli/database.ts";
import * as flowsSql from "../src/sql/flows.ts";
import * as totals from "../src/sql/totals.ts";
import type { Flows } from "../src/traffic.ts";

/** Makes `mark`. The bounds exclude and include the time that a NAT keeps a silent flow's port. */
export async function flowsOf(database: Database, cloud: PricedCloud): Promise<Flows> {
  const idleMs = idleTimeoutSeconds[cloud] * 1000;
  await database.run(flowsSql.markTable(idleMs));
  const [counts = {}] = await database.rows(flowsSql.flowCounts);
  const most = async (sql: string) => number((await database.rows(sql))[0]?.flows);
  const { all, destination, clientAndDestination } = flowsSql.flowKeys;
  const bounds = async (keys: readonly string[]) => ({
    low: await most(flowsSql.concurrency(keys, null, 1)),
    high: await most(flowsSql.concurrency(keys, idleMs, 1)),
  });
  return {
    opened: number(counts.spans),
    clients: number(counts.clients),
    concurrent: await bounds(all),
    openedPerSecond: (await most(flowsSql.opened(all, totals.WINDOW_MS, 1))) / 60,
    busiest: await busiest(database, idleMs, destination),
    perClient: await bounds(clientAndDestination),
    silences: await silencesOf(database, cloud),
  };
}

async function busiest(
  database: Database,
  idleMs: number,
  keys: readonly string[],
): Promise<Flows["busiest"]> {
  const [high] = await database.rows(flowsSql.concurrency(keys, idleMs, 1));
  if (high === undefined || high.flows === null) {
    return null;
  }
  const [low = {}] = await database.rows(flowsSql.concurrency(keys, null, 1));
  const [began = {}] = await database.rows(flowsSql.opened(keys, totals.WINDOW_MS, 1));
  const [address = {}] = await database.rows(`select a from address where id = ${Number(high.remote)}`);
  return {
    address: String(address.a),
    port: number(high.rport),
    protocol: number(high.proto),
    concurrent: { low: number(low.flows), high: number(high.flows) },
    openedPerSecond: number(began.flows) / 60,
  };
}

async function silencesOf(database: Database, cloud: PricedCloud): Promise<Flows["silences"]> {
  const seconds = [60, idleTimeoutSeconds[cloud], 3600];
  const [row = {}] = await database.rows(flowsSql.silences(seconds));
  const longest = await database.rows(flowsSql.longestSilences(10));
  return {
    longestSeconds: row.longest === null || row.longest === undefined ? null : number(row.longest),
    over: seconds.map((value) => ({ seconds: value, flows: number(row[`over_${value}`]) })),
    longest: longest.map(({ local, remote, rport, proto, seconds: silent }) => ({
      client: String(local),
      address: String(remote),
      port: number(rport),
      protocol: number(proto),
      seconds: number(silent),
    })),
  };
}
