/** Others' published figures next to ours for the same case. They never enter a ratio. */

import { z } from "zod";
import { type FigureId, figures } from "../../bench/figures/index.ts";
import type { CloudName } from "../../bench/topologies/clouds.ts";
import published from "../../results/published.json" with { type: "json" };
import type { CaseInfo } from "../comparison/cases.ts";
import type { Comparison } from "../comparison/comparison.ts";

/** A published figure and our measurement of the same case on the same kind of topology. */
export interface PublishedFigure {
  readonly id: string;
  readonly cloud: string;
  readonly conditions: string;
  readonly what: string;
  readonly topology: string;
  readonly theirs: string;
  readonly ours: readonly { readonly label: string; readonly cloud: CloudName; readonly text: string }[];
}

/** A published value in a figure's own unit, by the unit that it is in. */
const inOwnUnit = {
  "Gbit/s": (value: string | number) => Number(value) * 1e9,
  "Mbit/s": (value: string | number) => Number(value) * 1e6,
  "lost/total": (value: string | number) => {
    const [lost = Number.NaN, total = Number.NaN] = String(value).split("/").map(Number);
    return (lost / total) * 100;
  },
  ms: (value: string | number) => Number(value) * 1000,
  us: Number,
  segments: Number,
} as const;

/** Fields of our own case that is the same, by the same tool. */
const sameSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({});

const publicationSchema = z.object({
  id: z.string(),
  cloud: z.string(),
  conditions: z.string(),
  natSize: z.string().optional(),
  /** Rates that a NAT instance of a size held, both directions together. */
  natRates: z.array(z.object({ size: z.string(), bitsPerSecond: z.number(), note: z.string() })).default([]),
  /** Applies to all cases that do not say otherwise. */
  same: sameSchema,
  /** Plan that ours must belong to, e.g. because the distance matters. */
  plan: z.string().optional(),
  cases: z
    .array(
      z.object({
        case: z.string(),
        unit: z.enum(Object.keys(inOwnUnit) as (keyof typeof inOwnUnit)[]),
        what: z.string().optional(),
        /** The figure of ours. Absent: there is none. */
        metric: z.enum(Object.keys(figures) as FigureId[]).optional(),
        same: sameSchema,
        /** By topology. */
        values: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    )
    .default([]),
});
const publications = z.object({ results: z.array(publicationSchema) }).parse(published).results;

/** Conditions of the publications behind figures, one sentence each, by the publication's id. */
export function publishedConditions(figures: readonly PublishedFigure[]): Map<string, string> {
  return new Map(figures.map(({ id, cloud, conditions }) => [id, `${id} (${cloud}): ${conditions}.`]));
}

/** Every published figure whose case and kind of topology were measured. */
export function publishedFigures({ rows, columns }: Comparison): PublishedFigure[] {
  return publications.flatMap(({ id, cloud, conditions, same, plan, cases }) =>
    cases.flatMap(({ unit, what = "", metric, same: own, values }) => {
      const row = rows.find(({ info }) =>
        Object.entries({ ...same, ...own }).every(([key, value]) => info[key as keyof CaseInfo] === value),
      );
      if (metric === undefined || row === undefined) {
        return [];
      }
      const { format } = figures[metric];
      return Object.entries(values).flatMap(([topology, value]) => {
        const ours = columns.flatMap(({ index, label, topology: own, results }) => {
          const found = row.cells[index]?.estimates[metric];
          const planned = plan === undefined || plan === results.plan.name;
          return own.topology === topology && planned && found
            ? [{ label, cloud: results.cloud, text: format(found.value) }]
            : [];
        });
        const theirs = format(inOwnUnit[unit](value));
        return ours.length === 0 ? [] : [{ id, cloud, conditions, what, topology, theirs, ours }];
      });
    }),
  );
}

/** A published rate of a NAT instance of one size. */
export interface PublishedNatRate {
  readonly bitsPerSecond: number;
  /** Id of the publication. */
  readonly by: string;
  /** Conditions of this rate. */
  readonly note: string;
}

/** What others published for a NAT instance of this size: TCP in the slower direction, or a rate that was held. Null: nothing. */
export function publishedNatRate(size: string): PublishedNatRate | null {
  const [first] = publications.flatMap(({ id: by, natSize, natRates, cases }): PublishedNatRate[] => {
    const of = (name: string) =>
      cases.flatMap((one) =>
        one.case === name ? [inOwnUnit[one.unit](one.values["nat-instance"] ?? Number.NaN)] : [],
      );
    const [out, back] = [of("tcp-egress")[0], of("tcp-ingress")[0]];
    const held = natRates.find((one) => one.size === size);
    return [
      ...(natSize === size && out !== undefined && back !== undefined
        ? [{ bitsPerSecond: Math.min(out, back), by, note: "TCP, the slower direction" }]
        : []),
      ...(held === undefined ? [] : [{ bitsPerSecond: held.bitsPerSecond, by, note: held.note }]),
    ];
  });
  return first ?? null;
}
