import { type Measurement, measurementSchema } from "../../results/measurement.ts";

const unknown = Object.entries(measurementSchema.shape)
  .filter(([, field]) => field.safeParse(null).success)
  .map(([name]) => [name, null]);

/** An empty measurement, for tools to fill in. */
export const nothingMeasured: Measurement = measurementSchema.parse({
  ...Object.fromEntries(unknown),
  streams: [],
  series: [],
});
