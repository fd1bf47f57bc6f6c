/**
 * A synthetic AWS flow log of any number of rows as Parquet, with AWS's column names: 40 clients, 5,000 destinations, flows
 * of two minutes over a week, a record per minute and direction.
 */
import { openDatabase } from "../../cli/database.ts";

const FIRST = 1_790_000_000;
const SECONDS = 7 * 86_400;

/** Writes the file with the engine itself. @param rows A multiple of 4 */
export async function writeMadeUpParquet(path: string, rows: number): Promise<void> {
  const database = await openDatabase();
  await database.run(`copy (
    with flow as (select i, i % 2 = 1 as back, (i // 2) % 2 as minute, hash(i // 4) as h from range(${rows}) t(i)),
    named as (select *, '10.0.0.' || (10 + h % 40) as client,
      (50 + h // 64 % 100) || '.' || (h // 8192 % 50) || '.7.9' as server, 1024 + h // 1048576 % 64000 as port,
      ${FIRST} + i * ${SECONDS} // ${rows} + minute * 60 as first from flow)
    select 2 as version, '123456789012' as account_id, 'eni-0123456789abcde' || (10 + h % 40) as interface_id,
      if(back, server, client) as srcaddr, if(back, client, server) as dstaddr,
      if(back, 443, port)::integer as srcport, if(back, port, 443)::integer as dstport, 6 as protocol,
      (1 + h % 200)::bigint as packets, ((1 + h % 200) * if(back, 900, 120))::bigint as bytes,
      first as "start", first + h % 60 as "end", 'ACCEPT' as action, 'OK' as log_status
    from named) to '${path}' (format parquet)`);
  database.close();
}
