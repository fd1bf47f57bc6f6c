/**
 * The time that reset connections of the flowtable hold their ports, on Debian's cloud kernel, older than Linux 6.14: the
 * kernel alone keeps them for 300 s, and our setting limits that.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { RESET_SECONDS } from "../../components/nat-instance/sysctls.ts";
import { type NatGuest, natGuest } from "./network.ts";
import { resetFive, secondsLeft } from "./resets.ts";

let guest: NatGuest;
beforeAll(async () => {
  guest = await natGuest();
});
afterAll(() => guest?.end());

test("are forgotten after the limit, though they count as established", async () => {
  expect(await guest.setUp()).toBe("flowtable");
  const lines = await resetFive(guest);
  const left = lines.map(secondsLeft);
  expect(left).toHaveLength(5);
  expect(Math.max(...left)).toBeLessThanOrEqual(RESET_SECONDS);
  // The kernel's behaviour without the limit, which is the reason for it.
  expect(lines.join("\n")).toContain("ESTABLISHED");
  expect(Math.min(...left)).toBeGreaterThan(10);
});
