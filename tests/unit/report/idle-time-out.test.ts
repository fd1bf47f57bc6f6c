/** The choice uses the configured time-out of a measured way out. */
import { expect, it } from "vitest";
import { answerOf } from "../../../report/choice/answer.ts";
import { defaultNeeds } from "../../../report/choice/needs.ts";
import { way } from "./ways.ts";

it.each([
  ["nat-instance", 100, 101, "excluded"],
  ["nat-instance", 100, 100, "test"],
  ["nat-instance", null, 240, "test"],
  ["nat-instance", null, 241, "excluded"],
  // A gateway's time-out can be raised as needed.
  ["nat-gateway", 240, 7200, "test"],
  ["nat-gateway", 240, 7201, "excluded"],
] as const)(
  "a measured %s that is set to forget after %s s and a silence of %d s: %s",
  (topology, idleTimeoutSeconds, idleSeconds, status) => {
    const list = [way(topology, { idleTimeoutSeconds, bitsPerSecond: 10e6 })];
    const [found] = answerOf(
      { cloud: "azure", currency: "USD", regions: ["eastus"], compared: [], ways: list },
      { ...defaultNeeds, idleSeconds },
    ).assessed;
    expect(found?.status === "excluded" ? "excluded" : "test").toBe(status);
  },
);
