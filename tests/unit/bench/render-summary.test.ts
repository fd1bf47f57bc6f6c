import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderSummary, summarize } from "../../../bench/summary/summary.ts";

import { failed, latency, published, result, results, udp } from "./summary-results.ts";

describe("renderSummary", () => {
  it("aligns columns and keeps three topologies within 110", () => {
    const text = renderSummary(summarize(published));
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
      "
      case             nat-instance                      direct                    nat-gateway
      ---------------  --------------------------------  ------------------------  --------------------------------
      tcp-egress       6.86 Gbit/s (0.60x)               11.5 Gbit/s               10.7 Gbit/s (0.93x)
      udp-egress       1.60 Gbit/s (0.44x), 87.7 % lost  3.65 Gbit/s, 52.7 % lost  3.55 Gbit/s (0.97x), 0.02 % lost
      udp-ingress-64B  129 Mbit/s (0.66x), 89.2 % lost   195 Mbit/s, 50.4 % lost   failed: timeout
      tcp-connect      p50 1.07 ms (1.88x), p99 2.33 ms  p50 570 µs, p99 620 µs    not run

      (x): divided by direct's figure; for latency (p50), less is better.
      One run: no ranking.
      nat-gateway udp-ingress-64B: timeout: iperf3 was still running
      "
    `);
    const table = text.split("\n\n")[0] ?? "";
    expect(Math.max(...table.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  it("breaks cells at their commas if the table would be wider", () => {
    const id = "udp-egress-64B-p100-unlimited";
    const wide = results({ direct: "direct", "nat-instance": "nat-instance", "nat-gateway": "nat-gateway" }, [
      result("direct", id, udp(3.65, 52.7)),
      result("nat-instance", id, udp(1.6, 87.66)),
      result("nat-gateway", id, udp(3.55, 100)),
    ]);
    expect(`\n${renderSummary(summarize(wide))}\n`).toMatchInlineSnapshot(`
      "
      case                           direct        nat-instance          nat-gateway
      -----------------------------  ------------  --------------------  --------------------
      udp-egress-64B-p100-unlimited  3.65 Gbit/s,  1.60 Gbit/s (0.44x),  3.55 Gbit/s (0.97x),
                                     52.7 % lost   87.7 % lost           100 % lost

      (x): divided by direct's figure; for latency (p50), less is better.
      One run: no ranking.
      "
    `);
  });

  it("shows every cell's words for any measurement", () => {
    const measured = fc.oneof(
      fc.double({ min: 0, max: 1e12, noNaN: true }).map((rate) => ({ bitsPerSecond: rate })),
      fc
        .tuple(fc.double({ min: 0, max: 400, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }))
        .map(([g, p]) => udp(g, p)),
      fc.double({ min: 0, max: 1e7, noNaN: true }).map((time) => latency(time, time * 2)),
      fc.constant(failed("no-route")),
      fc.constant(failed("not-run")),
    );
    const ids = ["tcp-egress", "udp-ingress-64B", "tcp-connect"];
    fc.assert(
      fc.property(fc.array(measured, { minLength: 9, maxLength: 9 }), (all) => {
        const names = ["direct", "nat-instance", "nat-gateway"];
        const cases = ids.flatMap((id, row) =>
          names.map((name, at) => result(name, id, all[row * 3 + at] ?? null)),
        );
        const summary = summarize(results(Object.fromEntries(names.map((name) => [name, name])), cases));
        const text = renderSummary(summary);
        const table = text.split("\n\n")[0]?.split("\n") ?? [];
        expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(110);
        for (const word of summary.rows
          .flatMap((row) => Object.values(row))
          .flatMap((cell) => cell.split(/, /))) {
          expect(text).toContain(word);
        }
      }),
    );
  });
});
