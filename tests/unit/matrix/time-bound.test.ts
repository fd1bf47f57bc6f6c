/** Time limit of a waiting cell, and an earlier interrupt by a person. */
import { expect, it } from "vitest";
import { withTimeout } from "../../../cli/run/cell.ts";
import { timeoutSeconds } from "../../../cli/run/plan-cells.ts";
import { onInterrupt } from "../../../cli/terminal/interrupt.ts";

it("the file's limit applies to a cell, else several times the expected time", () => {
  expect(timeoutSeconds({ seconds: 600 }, { cellMinutes: 5 })).toBe(300);
  expect(timeoutSeconds({ seconds: 600 }, {})).toBe(3 * 600 + 1800);
});

it("ends a cell whose time is up, without a sign on the person's signal", async () => {
  const person = new AbortController();
  const bound = withTimeout(person.signal, 0.001);
  await expect.poll(() => bound.signal.aborted, { timeout: 10_000 }).toBe(true);
  expect([bound.isLate(), person.signal.aborted]).toEqual([true, false]);
  bound.clear();
});

it("passes on the person's interrupt with its reason, and a second one", () => {
  const person = new AbortController();
  const bound = withTimeout(person.signal, 1e9);
  let again = 0;
  bound.signal.addEventListener("again", () => {
    again += 1;
  });
  person.abort("SIGTERM");
  person.signal.dispatchEvent(new Event("again"));
  expect([bound.signal.reason, bound.isLate(), again]).toEqual(["SIGTERM", false, 1]);
  bound.clear();
});

it.each(["SIGTERM", "SIGQUIT", "SIGHUP"] as const)("%s stops a command in order", (signal) => {
  const interrupt = onInterrupt(() => undefined);
  process.emit(signal);
  expect(interrupt.reason).toBe(signal);
});
