import { describe, expect, it } from "vitest";
import { orderCases, withSeed } from "../../../bench/plan/order.ts";
import type { Order } from "../../../bench/plan/plan.ts";
import { connectCase, iperf3Case } from "./fixture.ts";

describe("orderCases", () => {
  const plan = {
    name: "p",
    seed: null,
    pauseSeconds: 0,
    repeat: { least: 1, most: 1, withinPercent: null },
    cases: [iperf3Case, connectCase],
  };
  const order = (kind: Order, change = {}) =>
    orderCases({ ...plan, order: kind, ...change }, ["direct", "nat"]).map(
      (one) => `${one.topology} ${one.case.id}${one.repetition > 1 ? ` again` : ""}`,
    );
  const twice = { repeat: { least: 2, most: 2, withinPercent: null } };

  it("interleaves topologies case by case", () => {
    expect(order("interleaved")).toEqual([
      "direct tcp-egress",
      "nat tcp-egress",
      "direct tcp-connect",
      "nat tcp-connect",
    ]);
  });

  it("repeats in rounds, each starting with another topology", () => {
    const once = order("interleaved");
    expect(once.map((one) => one.split(" ")[0])).toEqual(["direct", "nat", "direct", "nat"]);
    const again = order("interleaved", twice).slice(once.length);
    expect(again.map((one) => one.split(" ")[0])).toEqual(["nat", "direct", "nat", "direct"]);
    expect(again.toSorted()).toEqual(once.map((one) => `${one} again`).toSorted());
  });

  it("keeps the rounds of a topology together if sequential", () => {
    expect(order("sequential", twice)).toEqual([
      "direct tcp-egress",
      "direct tcp-connect",
      "direct tcp-egress again",
      "direct tcp-connect again",
      "nat tcp-egress",
      "nat tcp-connect",
      "nat tcp-egress again",
      "nat tcp-connect again",
    ]);
  });

  it("shuffles each round by its seed, reproducibly", () => {
    const sorted = order("interleaved").toSorted();
    const orders = Array.from({ length: 100 }, (_, seed) => order("shuffled", { seed }));
    expect(new Set(orders.map((one) => one.toSorted().join()))).toEqual(new Set([sorted.join()]));
    expect(new Set(orders.map((one) => one.join())).size).toBe(24); // 4!: every order comes up
    expect(order("shuffled", { seed: 7 })).toEqual(orders[7]);
    const rounds = order("shuffled", { ...twice, seed: 7 });
    expect(rounds.slice(4).every((one) => one.endsWith("again"))).toBe(true);
  });

  it("derives a missing seed from the run's id", () => {
    const shuffled = { ...plan, order: "shuffled" as const };
    expect(withSeed(shuffled, "run-1").seed).toBe(withSeed(shuffled, "run-1").seed);
    expect(withSeed(shuffled, "run-2").seed).not.toBe(withSeed(shuffled, "run-1").seed);
    expect(withSeed({ ...shuffled, seed: 5 }, "run-1").seed).toBe(5);
    expect(withSeed({ ...plan, order: "interleaved" }, "run-1").seed).toBeNull();
  });
});
