/**
 * What a NAT instance publishes of real traffic in the lab: in Prometheus' text format, and to CloudWatch by the very shell text
 * against stand-ins of the instance metadata and of CloudWatch. Not proved: that CloudWatch takes the signature, that systemd
 * calls the programs each minute, and that node_exporter reads the file.
 */
import { beforeEach, expect, test } from "vitest";
import { cloudWatchPublisher } from "../../../components/aws/cloudwatch.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { PRIVATE_CIDR, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();
beforeEach(() => lab.renewInstance());

const DIRECTORY = "/var/lib/prometheus/node-exporter";

test("packets, drops, connections and the data plane are written where node_exporter looks", () => {
  lab.run(
    "instance",
    natSetup({ privateCidrs: [PRIVATE_CIDR], metricsDirectory: DIRECTORY, dataPlane: "nftables" }),
  );
  const metrics = () => {
    lab.run("instance", 'egress-bench-nat-metrics "eth0 eth1"');
    const text = lab.run("instance", `cat ${DIRECTORY}/egress_bench_nat.prom`).trim();
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
  lab.run("instance", "echo 2026-11-22T10:00:00Z > /run/egress-bench-nat-drifts");
  expect(metrics().egress_bench_nat_drifts_total).toBe(1);
  expect(lab.run("instance", `stat -c %a ${DIRECTORY}/egress_bench_nat.prom; ls ${DIRECTORY}`).trim()).toBe(
    "644\negress_bench_nat.prom",
  );
});

test("without a directory nothing is written", () => {
  expect(natSetup({ privateCidrs: [PRIVATE_CIDR] })).not.toContain("egress-bench-nat-metrics");
});

test("figures of the last minute go to one namespace of CloudWatch, and a refusal is a note", () => {
  const instance = (script: string) => lab.run("instance", script);
  instance(standInOfAws);
  const setUp = natSetup({
    privateCidrs: [PRIVATE_CIDR],
    dataPlane: "nftables",
    publisher: cloudWatchPublisher("Mine/Nat", "n-nat"),
  });
  const endpoint = "export EGRESS_BENCH_AWS=http://169.254.169.254/\n";
  instance(`${endpoint}${setUp}`);
  const published = () => {
    const [request = ""] = instance("tail -n 1 /tmp/requests").trim().split("\n");
    const words = Object.fromEntries(request.split(" ").map((word) => word.split("=")));
    const names = Object.entries(words).filter(([key]) => key.endsWith(".MetricName"));
    const figures = names.map(([key, name]) => {
      const of = key.replace(/\.MetricName$/, "");
      expect(words[`${of}.Dimensions.member.1.Name`]).toBe("NatInstance");
      expect(words[`${of}.Dimensions.member.1.Value`]).toBe("n-nat");
      return [name as string, Number(words[`${of}.Value`])] as const;
    });
    expect(words).toMatchObject({ Action: "PutMetricData", Namespace: "Mine/Nat", Version: "2010-08-01" });
    expect(request).toContain("monitoring/aws4_request");
    return Object.fromEntries(figures);
  };
  // What counts up has no increase yet.
  expect(Object.keys(published()).sort()).toEqual(["ActiveConnectionCount", "ConnectionTableUsed"]);
  const metrics = "/run/egress-bench-metrics/egress_bench_nat.prom";
  const minute = () =>
    instance(`${endpoint}egress-bench-nat-metrics "eth0 eth1"; egress-bench-nat-publish ${metrics}`);
  minute();
  expect(lab.flows("tcp", { count: 20 })).toHaveLength(20);
  minute();
  const after = published();
  expect(after.Packets).toBeGreaterThan(100);
  expect(after.ActiveConnectionCount).toBeGreaterThanOrEqual(20);
  expect(after).toMatchObject({ ErrorPortAllocation: 0, ConnectionsDropped: 0, PacketsDropCount: 0 });
  expect(after).not.toHaveProperty("TakeOvers");
  // A boot begins them anew: no increase, and none below 0.
  instance(`sed -i 's/_packets_total\\(.*\\) .*/_packets_total\\1 1/' ${metrics}`);
  instance(`${endpoint}egress-bench-nat-publish ${metrics}`);
  expect(published()).not.toHaveProperty("Packets");
  expect(published()).toHaveProperty("Bytes");

  instance("echo PutMetricData > /tmp/refused");
  instance(`${endpoint}${setUp}`);
  expect(instance("cat /run/egress-bench-notes")).toMatch(/figures not published: .*UnauthorizedOperation/);
});
