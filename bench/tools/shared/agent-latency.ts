/** Schemas of figures that the host agent's probes print. */
import { z } from "zod";
import { histogramSchema } from "../../results/measurement.ts";

/** A count. */
export const count = z.int().min(0);

const microseconds = z.number().min(0).nullable();

/** Output of the agent's `latency_statistics`, in microseconds; null without samples. */
export const agentLatencySchema = z.object({
  samples: count,
  mean: microseconds,
  min: microseconds,
  max: microseconds,
  stddev: microseconds,
  p50: microseconds,
  p90: microseconds,
  p99: microseconds,
  p999: microseconds,
  histogram: histogramSchema.optional(),
});
