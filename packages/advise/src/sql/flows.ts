/** SQL from `leg` to flows: concurrent ones, new ones, and their silences. */

/** A longer silence separates two flows with the same ports: TCP's keep-alive starts after 2 hours. */
export const LONGEST_SILENCE_MS = 7_200_000;

/**
 * Starts and ends of spans. A span is a flow's packets without a silence as long as the NAT's idle time-out, so it needs
 * one mapping. Rows inside a span that do not follow a silence of a minute are left out.
 *
 * @param idleMs Idle time-out of the cloud's NAT.
 */
export function markTable(idleMs: number): string {
  return `create table mark as
  with minute as (select h, min(local) as local, min(remote) as remote, min(rport) as rport, min(proto) as proto, min(s) as s, max(e) as e
    from leg where outbound group by h, s // 60000),
  followed as (select *, max(e) over (order_of_flow rows between unbounded preceding and 1 preceding) as before,
    max(e) over (order_of_flow rows between unbounded preceding and current row) as upto, lead(s) over (order_of_flow) as next
    from minute window order_of_flow as (partition by h order by s, e)),
  marked as (select h, local, remote, rport, proto, s, upto, greatest(s - before, 0) as gap,
    before is null or s - before > ${idleMs} as fresh, next is null or next - upto > ${idleMs} as final from followed)
  select * from marked where fresh or final or gap >= 60000`;
}

/** Keys by which flows are counted together. */
export const flowKeys = {
  all: [],
  destination: ["remote", "rport", "proto"],
  clientAndDestination: ["local", "remote", "rport", "proto"],
} as const satisfies Record<string, readonly string[]>;

/**
 * The most concurrent flows of each group, the highest first.
 *
 * @param holdMs How long a NAT keeps a port after the last packet. Null: a lower bound, which counts a flow only
 * from its first packet to before its last one.
 */
export function concurrency(keys: readonly string[], holdMs: number | null, limit: number): string {
  const list = keys.map((name) => `${name}, `).join("");
  const partition = keys.length === 0 ? "" : `partition by ${keys.join(", ")} `;
  const end = holdMs === null ? "upto" : `upto + ${holdMs} + 1`;
  return `with event as (select ${list} s as t, 1 as step from mark where fresh union all select ${list} ${end}, -1 from mark where final),
  net as (select ${list} t, sum(step) as step from event group by all),
  running as (select ${list} sum(step) over (${partition}order by t) as flows from net)
  select ${list} max(flows)::double as flows from running ${keys.length === 0 ? "" : `group by ${keys.join(", ")}`}
  order by flows desc nulls last${keys.map((name) => `, ${name}`).join("")} limit ${limit}`;
}

/** The most flows that began in one window, by group, the highest first. */
export function opened(keys: readonly string[], windowMs: number, limit: number): string {
  const list = keys.map((name) => `${name}, `).join("");
  return `with began as (select ${list} s // ${windowMs} as t, count(*) as flows from mark where fresh group by all)
  select ${list} max(flows)::double as flows from began ${keys.length === 0 ? "" : `group by ${keys.join(", ")}`}
  order by flows desc nulls last${keys.map((name) => `, ${name}`).join("")} limit ${limit}`;
}

/** Total flows, clients and addresses. */
export const flowCounts = `select count(*) filter (fresh)::double as spans, count(distinct local)::double as clients from mark`;

const silent = `gap > 0 and gap <= ${LONGEST_SILENCE_MS} and proto in (6, 17)`;

/** Silences of a minute and more: the longest, and the number of flows with one of at least these lengths. */
export function silences(seconds: readonly number[]): string {
  const counts = seconds.map(
    (value) => `count(distinct h) filter (gap >= ${value * 1000})::double as over_${value}`,
  );
  return `select max(gap)::double / 1000 as longest, ${counts.join(", ")} from mark where ${silent}`;
}

/** The flows with the longest silences. */
export function longestSilences(limit: number): string {
  return `select l.a as local, r.a as remote, rport, proto, max(gap)::double / 1000 as seconds
  from mark join address l on local = l.id join address r on remote = r.id
  where ${silent} group by h, l.a, r.a, rport, proto order by seconds desc, r.a, rport, l.a limit ${limit}`;
}
