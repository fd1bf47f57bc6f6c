/** A set-up file of Vitest for runs with `EGRESS_BENCH_SAMPLES`: properties without a number of samples take more too. */
import fc from "fast-check";
import { samples } from "./samples.ts";

const seed = process.env.EGRESS_BENCH_SEED;
fc.configureGlobal({ numRuns: samples(100), ...(seed === undefined ? {} : { seed: Number(seed) | 0 }) });
