/** Outages of UDP egress on hosts that read counts and bits at different moments, or miss some. */
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../fixtures/results/hand-made.ts";
import { caseOf, host, outages, RATE, sent } from "./udp-hosts.ts";

// Time passes between the readings: bits at a fraction of a second, counts at whole ones, the last when the window closes.
describe("UDP egress whose bits and counts are read at different moments, simulated", () => {
  const [RATE_PER_SECOND, SECONDS, CUT] = [1727, 12, 2.9];
  const random = randomFrom(11);
  const judge = (isCut: boolean) => {
    const begin = 1 + 2 * random();
    const cut = begin + 3 + 4 * random();
    const passed = (at: number) => Math.min(Math.max(0, at - begin), SECONDS);
    const until = (at: number) => passed(at) - (isCut ? Math.min(Math.max(0, at - cut), CUT) : 0);
    const end = begin + SECONDS + 0.2 + 0.3 * random();
    const [own, other] = [random(), random()];
    const stamps = Array.from({ length: Math.floor(end - own) }, (_, index) => index + 1);
    const bits = stamps.map((second) => RATE * (until(second + own) - until(second - 1 + own)) + 1e3);
    const readAt = (second: number) => (second === Math.floor(end) ? end : second + 0.03 * random());
    const total = [0, ...stamps].map((second) => Math.round(RATE_PER_SECOND * until(readAt(second))));
    const counts = stamps.map((second) => (total[second] ?? 0) - (total[second - 1] ?? 0));
    const sentBits = stamps.map((second) => RATE * (passed(second + other) - passed(second - 1 + other)));
    return outages(caseOf(), [host("server", bits, counts), host("client", sentBits)]);
  };
  const judged = (isCut: boolean) => Array.from({ length: 500 }, () => judge(isCut));

  it("has no outage if there was none", () => {
    const found = judged(false);
    expect(found.filter((one) => one !== null && one.length > 0)).toEqual([]);
    expect(found.filter((one) => one === null).length).toBeLessThanOrEqual(5);
  });

  it("has the outage if there was one", () => {
    const found = judged(true);
    const isRight = (one: (typeof found)[number]) =>
      one === null || (one.length === 1 && Math.abs((one[0]?.seconds ?? 0) - CUT) < 0.3);
    expect(found.filter((one) => !isRight(one))).toEqual([]);
    expect(found.filter((one) => one === null).length).toBeLessThanOrEqual(5);
  });
});

it("has unknown outages if a second's count is missing: bits do not show drops of the host's firewall", () => {
  const bits = sent(14);
  const server = host("server", bits, [2, ...Array<number>(12).fill(8600), 2]);
  const client = host("client", bits);
  expect(outages(caseOf(), [server, client])).toEqual([]);
  const series = server.network!.series.map((one, at) =>
    at === 6 ? { ...one, arrivedDatagrams: null } : one,
  );
  expect(outages(caseOf(), [{ ...server, network: { ...server.network!, series } }, client])).toBeNull();
});
