import { type Measurement, measurementSchema } from "../../results/measurement.ts";

const unknown = Object.entries(measurementSchema.shape)
  .filter(([, field]) => field.safeParse(null).success)
  .map(([name]) => [name, null]);

/** A measurement with nothing measured, for tools to fill in what they have. */
export const nothingMeasured: Measurement = measurementSchema.parse({
  ...Object.fromEntries(unknown),
  streams: [],
  series: [],
});
