/** Formats figures of advice. */
import { count, counted, digits, money } from "../../../report/text/format.ts";
import type { Traffic } from "./traffic.ts";

export { count, counted, money };

const units = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["KB", 1e3],
] as const;

/** `1.23 GB`, `45.0 MB`: decimal units, three significant digits. */
export function volume(bytes: number): string {
  const [name, size] = units.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return `${digits(bytes / size)} ${name}`;
}

/** @param value Null: a price is not known */
export function costText(value: number | null, currency: string): string {
  return value === null ? "not known" : money(value, currency);
}

/** `1 flow`, `3 flows`, `1 to 3 flows`: bounds, or one number if they are equal. */
export function flowsBetween({ low, high }: { readonly low: number; readonly high: number }): string {
  const bounds = low === high ? count(high) : `${count(low)} to ${count(high)}`;
  return `${bounds} ${high === 1 ? "flow" : "flows"}`;
}

/** `TCP`, `UDP`, `ICMP`, else the number. */
export function protocolName(protocol: number): string {
  return { 1: "ICMP", 6: "TCP", 17: "UDP" }[protocol] ?? `protocol ${protocol}`;
}

/** `minute`, `5 minutes`, `day`, `month`: the usual name of a length of time. */
export function lengthOf(seconds: number): string {
  const days = seconds / 86_400;
  const [name, size] = (
    [
      ["day", 86_400],
      ["hour", 3600],
      ["minute", 60],
      ["second", 1],
    ] as const
  ).find(([, one]) => seconds >= one && seconds % one === 0) ?? ["second", 1];
  const many = Math.round((10 * seconds) / size) / 10;
  return days === 7
    ? "week"
    : days >= 28 && days <= 31
      ? "month"
      : many === 1
        ? name
        : `${count(many)} ${name}s`;
}

export const TEN_SECONDS = "busiest ten seconds";

/** Whether the peak of both directions is a gateway's own counter rather than the mean of the busiest point. */
export const isOfTenSeconds = ({ source, peak }: Pick<Traffic, "source" | "peak">) =>
  source === "metrics" && peak !== null && peak.both.estimate > peak.both.least;

/** `an hour`, `5 minutes`. */
export function aLength(seconds: number): string {
  const length = lengthOf(seconds);
  return /^\d/.test(length) ? length : `${length === "hour" ? "an" : "a"} ${length}`;
}

/** `from 2026-11-01 00:00 UTC to 2026-12-01 00:00 UTC`. */
export function periodOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return `from ${moment(from)} to ${moment(to)}`;
}

/** `2026-11-22 10:05 UTC` for an ISO time. */
export function moment(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
