/**
 * What iperf3 says about its own CPU.
 *
 * @module
 */
import { z } from "zod";
import { parseJsonObject } from "./json-text.ts";

/** In percent of one CPU. */
export interface ProcessCpu {
  readonly client: number | null;
  readonly server: number | null;
}

const outputSchema = z.object({
  end: z.object({
    cpu_utilization_percent: z.object({
      host_total: z.number().nullish(),
      remote_total: z.number().nullish(),
    }),
  }),
});

/** Of an `iperf3 -J` document, whole or reduced; null where it does not tell. */
export function iperf3Cpu(stdout: string): ProcessCpu | null {
  const read = outputSchema.safeParse(parseJsonObject(stdout));
  const told = read.data?.end.cpu_utilization_percent;
  return told === undefined ? null : { client: told.host_total ?? null, server: told.remote_total ?? null };
}

/** CPUs that one end of a test can use at most: versions before 3.16 have one thread for all streams. */
export function iperf3Threads(version: string | null, streams: number): number {
  const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)/.exec(version ?? "") ?? []).map(Number);
  return major > 3 || (major === 3 && minor >= 16) ? streams : 1;
}
