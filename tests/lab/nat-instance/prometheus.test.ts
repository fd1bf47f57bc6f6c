/**
 * A NAT instance's metrics in Prometheus' text format, of real traffic in the lab. Not proved: that systemd's timer calls the
 * program, and that node_exporter reads the file.
 */
import { expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { natLab, PRIVATE_CIDR } from "../../helpers/nat-lab.ts";

const DIRECTORY = "/var/lib/prometheus/node-exporter";

test("packets, drops, connections and the data plane are written where node_exporter looks", async () => {
  const lab = await natLab();
  lab.run(
    "box",
    natSetup({ privateCidrs: [PRIVATE_CIDR], metricsDirectory: DIRECTORY, dataPlane: "nftables" }),
  );
  const metrics = () => {
    lab.run("box", 'egress-bench-nat-metrics "eth0 eth1"');
    const text = lab.run("box", `cat ${DIRECTORY}/egress_bench_nat.prom`).trim();
    const lines = text.split("\n").map((line) => {
      const [, name, value] = /^([a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})?) (\d+)$/.exec(line) ?? [];
      expect(name, line).toBeDefined();
      return [name as string, Number(value)] as const;
    });
    return Object.fromEntries(lines);
  };
  const before = metrics();
  expect(lab.flows("tcp", { count: 20 })).toHaveLength(20);
  const after = metrics();
  for (const [key, least] of [
    ['egress_bench_nat_packets_total{interface="eth0",direction="rx"}', 60],
    ['egress_bench_nat_bytes_total{interface="eth1",direction="tx"}', 1000],
  ] as const) {
    expect((after[key] as number) - (before[key] as number), key).toBeGreaterThan(least);
  }
  expect(after.egress_bench_nat_conntrack_entries).toBeGreaterThanOrEqual(20);
  expect(after.egress_bench_nat_conntrack_limit).toBeGreaterThan(1000);
  expect(after).toMatchObject({
    egress_bench_nat_conntrack_insert_failed_total: 0,
    egress_bench_nat_conntrack_drop_total: 0,
    egress_bench_nat_conntrack_early_drop_total: 0,
    'egress_bench_nat_data_plane{name="nftables"}': 1,
    egress_bench_nat_drifts_total: 0,
    egress_bench_nat_takeovers_total: 0,
  });
  lab.run("box", "echo 2026-11-22T10:00:00Z > /run/egress-bench-nat-drifts");
  expect(metrics().egress_bench_nat_drifts_total).toBe(1);
  expect(lab.run("box", `stat -c %a ${DIRECTORY}/egress_bench_nat.prom; ls ${DIRECTORY}`).trim()).toBe(
    "644\negress_bench_nat.prom",
  );
});

test("without a directory nothing is written", () => {
  expect(natSetup({ privateCidrs: [PRIVATE_CIDR] })).not.toContain("egress-bench-nat-metrics");
});
