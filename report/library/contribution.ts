/**
 * A run in the library of results: figures and conditions, and nothing that identifies its owner. Its fields are listed here
 * one by one, so that a later field of results is never included by accident.
 */

import { z } from "zod";
import { comparedIds, figures } from "../../bench/figures/index.ts";
import type { HostFacts, Results } from "../../bench/results/index.ts";
import { LARGEST } from "../../bench/results/plausible.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { cloudNames, topologyNamed } from "../../bench/topologies/index.ts";
import { validate } from "../../bench/validate.ts";
import { type Comparison, compare } from "../comparison/comparison.ts";
import { measuredRegion } from "../cost/pricing.ts";

/** Words of clouds, kernels and tools; addresses, paths, sentences and host names do not match. */
const word = z.string().regex(/^(?!.*\d+\.\d+\.\d+\.\d+)[A-Za-z0-9][\w.+~ ()-]{0,59}$/, {
  error: "expected a version or name of at most 60 letters, digits, spaces and ._+~()-, and no address",
});
const finite = z.number().min(-LARGEST).max(LARGEST);

const machineSchema = z.strictObject({
  size: word.nullable(),
  cpus: z.int().nullable(),
  memoryBytes: finite.nullable(),
  kernel: word.nullable(),
  os: word.nullable(),
  tuning: word.nullable(),
  dataPlane: word.nullable(),
});

const figureSchema = z.strictObject({
  /** The case's title in reports. */
  case: z.string().regex(/^[\w ,.:/×%()+-]{1,80}$/),
  metric: z.enum(comparedIds as [string, ...string[]]),
  unit: z.string().max(10),
  value: finite,
  /** 95 % interval; null: one run. */
  low95: finite.nullable(),
  high95: finite.nullable(),
  n: z.int().positive(),
});

/** One run in the library. */
export const contributionSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** False for the lab, which has no network. */
  network: z.boolean(),
  cloud: z.enum(cloudNames),
  region: word.nullable(),
  /** `2026-11`; null: the run did not tell. */
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .nullable(),
  egressBenchVersion: word,
  plan: word.nullable(),
  server: machineSchema.nullable(),
  topologies: z
    .array(
      z.strictObject({
        /** Kind, not the stack's own name. */
        topology: word,
        client: machineSchema.nullable(),
        nat: machineSchema.nullable(),
        figures: z.array(figureSchema).min(1),
      }),
    )
    .min(1),
});
/** A run in the library: figures and conditions, without names. */
export type Contribution = z.infer<typeof contributionSchema>;
type Machine = z.infer<typeof machineSchema>;

/**
 * The contribution made from a run. A custom plan loses its name; its cases keep their settings.
 *
 * @param presets Names of the public plans.
 * @returns null without a measurement on a public topology.
 * @throws {Error} with one sentence per field whose text the library cannot take, such as an invalid version.
 */
export function contributionOf(results: Results, presets: readonly string[]): Contribution | null {
  const comparison = compare([{ source: "", results }]);
  const topologies = comparison.columns.flatMap((column) => {
    const { topology, hosts } = column.topology;
    const figures = figuresOf(comparison, column.index);
    const role = (name: string) => machineOf(hosts.find((host) => host.role === name));
    return topologyNamed(topology) === undefined || figures.length === 0
      ? []
      : [{ topology, client: role("client"), nat: role("nat"), figures }];
  });
  if (topologies.length === 0) {
    return null;
  }
  const regions = results.topologies.flatMap((one) => measuredRegion(one) ?? []);
  const contribution = {
    schemaVersion: 1,
    network: !cloudRecords[results.cloud].isLab,
    cloud: results.cloud,
    region: regions[0] ?? null,
    month: (results.startedAt ?? results.finishedAt)?.slice(0, 7) ?? null,
    egressBenchVersion: results.egressBenchVersion,
    plan: presets.includes(results.plan.name) ? results.plan.name : null,
    server: machineOf(results.server ?? undefined),
    topologies,
  };
  return validate(contributionSchema, contribution, (problems) => new Error(problems.join("; ")));
}

function machineOf(host: HostFacts | undefined): Machine | null {
  const plain = (text: string | null) => (word.safeParse(text).success ? text : null);
  return host === undefined
    ? null
    : {
        size: plain(host.size),
        cpus: host.cpus,
        memoryBytes: host.memoryBytes,
        kernel: plain(host.kernel),
        os: plain(host.os),
        tuning: plain(host.tuning),
        dataPlane: host.dataPlane,
      };
}

/** Titles of the plan's cases, which tools make; other cases may have any name. */
function figuresOf({ rows }: Comparison, column: number): z.infer<typeof figureSchema>[] {
  return rows
    .filter(({ info }) => info.title !== info.id)
    .flatMap(({ info, cells }) =>
      comparedIds.flatMap((metric) => {
        const found = cells[column]?.estimates[metric];
        return found === undefined
          ? []
          : {
              case: info.title,
              metric,
              unit: figures[metric].unit,
              value: found.value,
              low95: found.interval?.low ?? null,
              high95: found.interval?.high ?? null,
              n: found.n,
            };
      }),
    );
}
