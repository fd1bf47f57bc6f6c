/** A chosen window for unattended upgrades. */
import { textOf } from "../../shared/shell.ts";
import type { Part } from "../part.ts";

/** Days as systemd and the option write them. */
export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** When packages are upgraded. The option's schema is in `option-schemas.ts`, as the lab loads this file without zod. */
export interface UpgradeWindow {
  readonly at: string;
  readonly reboot?: boolean | undefined;
}

/** The window an hour later, for a pair's second machine: both never upgrade at once. */
export function anHourLater({ at, ...window }: UpgradeWindow): UpgradeWindow {
  const [time = "", day] = at.split(" ").reverse();
  const hour = Number(time.slice(0, 2)) + 1;
  const next = DAYS[(DAYS.indexOf(day as (typeof DAYS)[number]) + 1) % DAYS.length];
  const shown = `${String(hour % 24).padStart(2, "0")}${time.slice(2)}`;
  const date = day === undefined ? "" : `${hour < 24 ? day : next} `;
  return { ...window, at: `${date}${shown}` };
}

/** The window in systemd's format: `Sun *-*-* 03:30`. */
function calendarOf({ at }: UpgradeWindow): string {
  const [time, day] = at.split(" ").reverse();
  return `${day === undefined ? "" : `${day} `}*-*-* ${time}`;
}

/** Defines `set_upgrade_window`. */
export function upgradeWindowPart(window: UpgradeWindow): Part {
  return {
    settings: { upgrade_calendar: calendarOf(window), upgrade_reboot: String(window.reboot ?? false) },
    texts: [textOf("./upgrade-window.sh", import.meta.url)],
    steps: ["set_upgrade_window"],
  };
}
