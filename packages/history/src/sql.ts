/** SQL over the history's files, for DuckDB. */
import { columns } from "./rows.ts";

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export function writeSql(lines: string, file: string): string {
  const types = Object.entries(columns).map(([name, { type }]) => `${name}: ${quoted(type)}`);
  return `copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = {${types.join(", ")}}))
to ${quoted(file)} (format parquet, compression zstd)`;
}

/** All rows; older files lack columns that were added later. */
function rowsSql(files: readonly string[]): string {
  return `(select * from read_parquet([${files.map(quoted).join(", ")}], union_by_name = true, hive_partitioning = false, filename = true)
union all by name select null::varchar as goal where false)`;
}

/** The newest version of rows among some files. */
export function versionSql(files: readonly string[]): string {
  return `select max(schemaVersion) as newest from ${rowsSql(files)}`;
}

const facts = ["toolVersion", "kernel", "size", "zone", "goal", "egressBenchVersion", "commit"] as const;
const keys = ["cloud", "stack", "topology", "caseId", "figure", "runId"] as const;

/**
 * One row per figure and measurement, with keys as text, which only a damaged file lacks. Mean and median are null if no
 * repetition has a value. If several files have a measurement, the one with the most repetitions is used. Non-numeric values
 * are left out.
 */
export function runsSql(files: readonly string[]): string {
  const measurement = ["region", ...keys, "measuredAt"].join(", ");
  return `select * exclude (filename) from (
select filename, region::varchar as region, ${keys.map((key) => `coalesce(${key}::varchar, '') as ${key}`).join(", ")},
  strftime(measuredAt, '%Y-%m-%dT%H:%M:%S.%gZ') as measuredAt,
  ${facts.map((name) => `any_value("${name}")::varchar as "${name}"`).join(", ")},
  count(value)::integer as n, (count(*) filter (where value is null))::integer as absent,
  (count(*) filter (where decides))::integer as pilot, avg(value) as mean,
  median(value) as median, stddev_samp(value) filter (where decides) as stddev
from ${rowsSql(files)}
where measuredAt is not null and (value is null or isfinite(value))
group by filename, ${measurement})
qualify row_number() over (partition by ${measurement} order by n + absent desc, filename desc) = 1`;
}

const series = ["cloud", "stack", "region", "topology", "caseId", "figure"] as const;
const run = ["runId", "measuredAt"] as const;

/** Tables of shared texts, each text once: texts take far longer to read than numbers. */
export const sharedTexts = { series, circumstances: facts, run } as const;

/** Makes the table `run_figure` from {@link runsSql}, and one for each of {@link sharedTexts}, with rows numbered from 0. */
export function runTables(files: readonly string[]): string[] {
  return [
    `create or replace table run_figure as ${runsSql(files)}`,
    ...Object.entries(sharedTexts).map(([table, names]) => {
      const texts = names.map((name) => `"${name}"`).join(", ");
      return `create or replace table shared_${table} as
select (row_number() over () - 1)::integer as number, ${texts} from (select distinct ${texts} from run_figure)`;
    }),
  ];
}

/** The rows of `run_figure`, with numbers instead of texts. */
export const numberedRuns = `select ${Object.keys(sharedTexts)
  .map((table) => `shared_${table}.number as ${table}`)
  .join(", ")}, n, absent, pilot, mean, median, stddev
from run_figure ${Object.entries(sharedTexts)
  .map(
    ([table, names]) =>
      `join shared_${table} on ${names.map((name) => `run_figure."${name}" is not distinct from shared_${table}."${name}"`).join(" and ")}`,
  )
  .join("\n")}`;

export function textsOf(table: keyof typeof sharedTexts): string {
  return `select * exclude (number) from shared_${table} order by number`;
}
