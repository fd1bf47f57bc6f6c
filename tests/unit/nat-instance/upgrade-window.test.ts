/** The hour by which a pair's second machine upgrades later. */
import { expect, test } from "vitest";
import { anHourLater } from "../../../components/nat-instance/index.ts";

test.each([
  ["03:30", "04:30"],
  ["23:05", "00:05"],
  ["Mon 22:59", "Mon 23:59"],
  ["Sat 23:00", "Sun 00:00"],
  ["Sun 23:30", "Mon 00:30"],
])("after %s comes %s", (at, later) => {
  expect(anHourLater({ at, reboot: true })).toEqual({ at: later, reboot: true });
});

test("a week of hours ends where it began", () => {
  const all = Array.from({ length: 7 * 24 }).reduce<string[]>(
    (seen) => [...seen, anHourLater({ at: seen.at(-1) as string }).at],
    ["Wed 00:15"],
  );
  expect(all.at(-1)).toBe("Wed 00:15");
  expect(new Set(all).size).toBe(7 * 24);
});
