/**
 * A NAT instance's heartbeat where a NAT gateway can stand in for it: the real shell text, against stand-ins of the
 * instance metadata and of CloudWatch. Not proved: that CloudWatch accepts it. That systemd calls the program:
 * tests/system/user-data.test.ts.
 */
import { beforeEach, expect, it } from "vitest";
import { heartbeat } from "../../../components/aws/nat-instance.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const endpoint = "export EGRESS_BENCH_AWS=http://169.254.169.254/\n";

const lab = sharedLab();
beforeEach(() => lab.renewInstance());

/** An instance that is set up, with CloudWatch beyond its forwarding too, and its heartbeat on request. */
function beatingLab(dataPlane: "nftables" | "iptables" = "nftables") {
  const instance = (script: string) => lab.run("instance", script);
  instance(standInOfAws);
  instance(`echo ${SERVER} monitoring.eu-north-1.amazonaws.com >> /etc/hosts`);
  const setUp = natSetup({ privateCidrs: [PRIVATE_CIDR], dataPlane, heartbeat: heartbeat("Mine/Nat") });
  instance(`${endpoint}${setUp}`);
  const said = () => {
    const [request = ""] = instance("tail -n 1 /tmp/requests").trim().split("\n");
    return Object.fromEntries(request.split(" ").map((word) => word.split("=")));
  };
  const beat = (how = "") => {
    instance(`${endpoint}egress-bench-nat-heartbeat ${how}`);
    return said()["MetricData.member.1.Value"];
  };
  return { instance, setUp, said, beat };
}

it("reports for its own interface whether it forwards, and whether it is about to end", () => {
  const { instance, setUp, said, beat } = beatingLab();
  expect(instance("cat /run/egress-bench-notes")).not.toContain("heartbeat");
  expect(said()).toMatchObject({
    Action: "PutMetricData",
    Version: "2010-08-01",
    Namespace: "Mine/Nat",
    "MetricData.member.1.MetricName": "Forwarding",
    "MetricData.member.1.Value": "1",
    "MetricData.member.1.StorageResolution": "1",
    "MetricData.member.1.Dimensions.member.1.Name": "NetworkInterface",
    "MetricData.member.1.Dimensions.member.1.Value": "eni-0a",
  });

  const repaired = () => {
    instance(`${endpoint}${setUp}`);
    return beat();
  };
  // Its kernel forwards nothing.
  instance("sysctl -q -w net.ipv4.ip_forward=0");
  expect(beat()).toBe("0");
  expect(repaired()).toBe("1");
  // Its rules let nothing pass.
  instance("nft flush chain inet egress_bench forward");
  expect(beat()).toBe("0");
  expect(repaired()).toBe("1");
  // Without translation no answer finds the way back.
  instance("nft flush chain inet egress_bench postrouting");
  expect(beat()).toBe("0");
  expect(repaired()).toBe("1");
  // No answer comes back.
  lab.run("server", "nft 'table inet t { chain c { type filter hook input priority 0; policy drop; }; }'");
  expect(beat()).toBe("0");
  lab.run("server", "nft delete table inet t");
  expect(beat()).toBe("1");

  // Its group terminates it; EC2 reclaims it.
  const lifecycle = "meta-data/autoscaling/target-lifecycle-state";
  for (const [metadata, value] of [
    [`${lifecycle} InService`, "1"],
    [`${lifecycle} Terminated`, "0"],
    ["meta-data/spot/instance-action {}", "0"],
  ]) {
    instance(`echo '${metadata}' > /tmp/metadata`);
    expect(beat(), metadata).toBe(value);
  }
  instance("rm /tmp/metadata");
  expect(beat()).toBe("1");

  instance("echo PutMetricData > /tmp/refused");
  instance(`${endpoint}${setUp}`);
  expect(instance("cat /run/egress-bench-notes")).toMatch(/no heartbeat: .*UnauthorizedOperation/);
  instance("rm /tmp/refused");

  // Its system shuts down: nothing else is reported after that.
  expect(beat("leave")).toBe("0");
  expect(beat()).toBe("0");
});

it("tests the rule of fck-nat likewise", () => {
  const { instance, said, beat } = beatingLab("iptables");
  expect(instance("cat /run/egress-bench-data-plane").trim()).toBe("iptables");
  expect(said()["MetricData.member.1.Value"]).toBe("1");
  instance("sysctl -q -w net.ipv4.ip_forward=0");
  expect(beat()).toBe("0");
});
