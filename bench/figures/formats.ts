/** How figures of several kinds are written. */
import { formatMicroseconds } from "../plan/quantities.ts";

/** `4,210`. */
export const whole = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 0 });

/** `4,210/s`. */
export const perSecond = (value: number) =>
  `${Number.isInteger(value) || value >= 100 ? whole(value) : value.toPrecision(3)}/s`;

/** Milliseconds in the unit that suits them. */
export const milliseconds = (value: number) => formatMicroseconds(value * 1000);
