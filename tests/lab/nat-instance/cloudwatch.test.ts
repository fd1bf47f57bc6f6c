/**
 * What a NAT instance publishes to CloudWatch: the very shell text, of real traffic, against stand-ins of the instance metadata
 * and of CloudWatch. Not proved: that CloudWatch takes the signature, and that systemd calls the program each minute.
 */
import { expect, test } from "vitest";
import { cloudWatchPublisher } from "../../../components/aws/cloudwatch.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { natLab, PRIVATE_CIDR } from "../../helpers/nat-lab.ts";

test("figures of the last minute go to one namespace, and a refusal is a note", async () => {
  const lab = await natLab();
  const box = (script: string) => lab.run("box", script);
  box(standInOfAws);
  const setUp = natSetup({
    privateCidrs: [PRIVATE_CIDR],
    dataPlane: "nftables",
    publisher: cloudWatchPublisher("Mine/Nat", "n-nat"),
  });
  const endpoint = "export EGRESS_BENCH_AWS=http://169.254.169.254/\n";
  box(`${endpoint}${setUp}`);
  const published = () => {
    const [request = ""] = box("tail -n 1 /tmp/requests").trim().split("\n");
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
    box(`${endpoint}egress-bench-nat-metrics "eth0 eth1"; egress-bench-nat-publish ${metrics}`);
  minute();
  expect(lab.flows("tcp", { count: 20 })).toHaveLength(20);
  minute();
  const after = published();
  expect(after.Packets).toBeGreaterThan(100);
  expect(after.ActiveConnectionCount).toBeGreaterThanOrEqual(20);
  expect(after).toMatchObject({ ErrorPortAllocation: 0, ConnectionsDropped: 0, PacketsDropCount: 0 });
  expect(after).not.toHaveProperty("TakeOvers");
  // A boot begins them anew: no increase, and none below 0.
  box(`sed -i 's/_packets_total\\(.*\\) .*/_packets_total\\1 1/' ${metrics}`);
  box(`${endpoint}egress-bench-nat-publish ${metrics}`);
  expect(published()).not.toHaveProperty("Packets");
  expect(published()).toHaveProperty("Bytes");

  box("echo PutMetricData > /tmp/refused");
  box(`${endpoint}${setUp}`);
  expect(box("cat /run/egress-bench-notes")).toMatch(/figures not published: .*UnauthorizedOperation/);
});
