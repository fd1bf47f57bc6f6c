/**
 * A NAT instance's published figures of real traffic in the lab: in Prometheus' text format, and to CloudWatch by the real
 * shell text against stand-ins of the instance metadata and of CloudWatch. Not proved: that CloudWatch accepts the
 * signature, that systemd calls the programs each minute, and that node_exporter reads the file.
 */
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { cloudWatchPublisher } from "../../../components/aws/operators/cloudwatch.ts";
import { DATA_PLANE_FILE, natSetup } from "../../../components/nat-instance/index.ts";
import { HA_PROGRAM } from "../../../components/nat-instance/pair-configuration.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { PRIVATE_CIDR, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();
beforeEach(() => lab.renewInstance());

const daemon = readFileSync(
  new URL("../../../components/nat-instance/pair/daemon.py", import.meta.url),
  "utf8",
);
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
  // Earlier entries, and closed ones, may end meanwhile.
  const counted = Number(lab.run("instance", "conntrack -C"));
  expect(counted).toBeGreaterThan(10);
  expect(Math.abs((after.egress_bench_nat_conntrack_entries as number) - counted)).toBeLessThan(4);
  expect(after.egress_bench_nat_conntrack_limit).toBeGreaterThan(1000);
  expect(after).toMatchObject({
    egress_bench_nat_conntrack_insert_failed_total: 0,
    egress_bench_nat_conntrack_drop_total: 0,
    egress_bench_nat_conntrack_no_room_total: 0,
    egress_bench_nat_conntrack_early_drop_total: 0,
    'egress_bench_nat_data_plane{name="nftables"}': 1,
    egress_bench_nat_drifts_total: 0,
    egress_bench_nat_takeovers_total: 0,
  });
  lab.run("instance", "echo 2026-11-22T10:00:00Z > /run/egress-bench-nat-drifts");
  expect(metrics().egress_bench_nat_drifts_total).toBe(1);
  lab.run("instance", `echo iptables > ${DATA_PLANE_FILE}`);
  expect(metrics()).toMatchObject({ 'egress_bench_nat_data_plane{name="iptables"}': 0 });
  expect(lab.run("instance", `stat -c %a ${DIRECTORY}/egress_bench_nat.prom; ls ${DIRECTORY}`).trim()).toBe(
    "644\negress_bench_nat.prom",
  );
});

/**
 * Output of `ethtool -S` with Linux's ENA driver:
 * docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-network-performance-ena.html
 */
const enaCounters = `NIC statistics:
     tx_timeout: 0
     bw_in_allowance_exceeded: 3
     bw_out_allowance_exceeded: 0
     pps_allowance_exceeded: 4
     conntrack_allowance_exceeded: 0
     linklocal_allowance_exceeded: 0
     conntrack_allowance_available: 136812
     queue_0_tx_cnt: 9
`;

test("attempts without room and attempts without a port are counted separately, and ENA's limits are published", () => {
  const put = (name: string, text: string) =>
    `printf '#!/bin/sh\\ncat <<"END"\\n%sEND\\n' '${text}' > /tmp/${name} && chmod 755 /tmp/${name} && mount --bind /tmp/${name} "$(command -v ${name})"\n`;
  const stat =
    "cpu=0 found=1 insert_failed=4 drop=6 early_drop=2\ncpu=1 found=1 insert_failed=6 drop=40 early_drop=0\n";
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], metricsDirectory: DIRECTORY }));
  const text = lab.run(
    "instance",
    `unshare --mount sh -eu <<'END_OF_STAND_INS'\n${put("ethtool", enaCounters)}${put("conntrack", stat)}egress-bench-nat-metrics "eth0"\nEND_OF_STAND_INS\ncat ${DIRECTORY}/egress_bench_nat.prom`,
  );
  const lines = text.split("\n").map((line) => line.replace("egress_bench_nat_", ""));
  expect(lines).toEqual(
    expect.arrayContaining([
      "conntrack_insert_failed_total 10",
      "conntrack_drop_total 46",
      "conntrack_no_room_total 36",
      "conntrack_early_drop_total 2",
      'bw_in_allowance_exceeded{interface="eth0"} 3',
      'pps_allowance_exceeded{interface="eth0"} 4',
      'conntrack_allowance_available{interface="eth0"} 136812',
    ]),
  );
  expect(text).not.toMatch(/tx_timeout|queue_0/);
  const ofPair = [...daemon.matchAll(/^ {12}"([a-z_]+)": /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "role");
  const known = new Set(["pair", ...lines.map((line) => line.replace(/[{ ].*/, "")), ...ofPair]);
  // `packets_total`, `data_plane{name}`: the first column of the first table.
  const [, page = ""] = readFileSync(
    new URL("../../../docs/reference/nat-metrics.md", import.meta.url),
    "utf8",
  ).split("| metric |");
  const listed = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([a-z_]+)/g)].map(([, name = ""]) => name),
  );
  expect(listed.toSorted()).toEqual([...known].filter((name) => name !== "").toSorted());
  for (const file of ["nat-instance-alerts.yml", "nat-instance-dashboard.json"]) {
    const example = readFileSync(new URL(`../../../docs/examples/${file}`, import.meta.url), "utf8");
    const named = [...example.matchAll(/egress_bench_nat_([a-z_]+)/g)].map(([, name = ""]) => name);
    expect(named.length, file).toBeGreaterThan(8);
    expect(
      named.filter((name) => !known.has(name)),
      file,
    ).toEqual([]);
  }
});

test("a pair's machine with a silent program is neither active nor ready", () => {
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], metricsDirectory: DIRECTORY }));
  lab.run("instance", `install -D -m 755 /dev/null ${HA_PROGRAM}; egress-bench-nat-metrics eth0`);
  const text = lab.run("instance", `cat ${DIRECTORY}/egress_bench_nat.prom`);
  expect(text).toMatch(/^egress_bench_nat_active 0$/m);
  expect(text).toMatch(/^egress_bench_nat_ready 0$/m);
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
  // Counters have no increase yet.
  expect(Object.keys(published()).sort()).toEqual(["ActiveConnectionCount", "ConnectionTableUsed"]);
  const metrics = "/run/egress-bench-metrics/egress_bench_nat.prom";
  const minute = () =>
    instance(`${endpoint}egress-bench-nat-metrics "eth0 eth1"; egress-bench-nat-publish ${metrics}`);
  minute();
  expect(lab.flows("tcp", { count: 20 })).toHaveLength(20);
  instance("echo egress_bench_nat_forwards 0 > /run/egress-bench-nat-forwards");
  minute();
  const after = published();
  expect(after.Packets).toBeGreaterThan(100);
  expect(after.ActiveConnectionCount).toBeGreaterThanOrEqual(20);
  expect(after).toMatchObject({
    Forwards: 0,
    ErrorPortAllocation: 0,
    ConnectionsDropped: 0,
    PacketsDropCount: 0,
  });
  expect(after).not.toHaveProperty("TakeOvers");
  // A boot resets them: no increase, and none below 0.
  instance(`sed -i 's/_packets_total\\(.*\\) .*/_packets_total\\1 1/' ${metrics}`);
  instance(`${endpoint}egress-bench-nat-publish ${metrics}`);
  expect(published()).not.toHaveProperty("Packets");
  expect(published()).toHaveProperty("Bytes");

  const requests = () => instance("wc -l < /tmp/requests").trim();
  const before = requests();
  instance(`touch -d '-1 minute' ${metrics}`);
  expect(instance(`${endpoint}egress-bench-nat-publish ${metrics} || echo refused`)).toBe(
    "old figures\nrefused\n",
  );
  expect(requests()).toBe(before);

  instance("echo PutMetricData > /tmp/refused");
  instance(`${endpoint}${setUp}`);
  expect(instance("cat /run/egress-bench-notes")).toMatch(/figures not published: .*UnauthorizedOperation/);
});
