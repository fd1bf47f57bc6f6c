/**
 * Findings of the NAT probes: the number of flows through a NAT instance with few ports, no limit through a router, and a
 * default instance's behaviour, which forgets silent flows.
 */
import { expect, test } from "vitest";
import { judged } from "../../helpers/judged.ts";
import { measure, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const lab = sharedProbeLab();

const flows = { tool: "nat", probe: "concurrent-flows", protocol: ["tcp", "udp"] };

test("an instance with 2,000 ports carries 2,000 flows to one port, and more are refused", () => {
  translate(lab, { portRange: { first: 2000, last: 3999 } });
  // 50 more than the ports: a limit near the bound must still be found.
  const [tcp, udp] = measure(lab, { ...flows, maxFlows: 2050 });
  for (const found of [tcp, udp]) {
    expect(found?.concurrentFlows).toMatchObject({ limitReached: true, bound: 2050, error: "ETIMEDOUT" });
    expect(found?.concurrentFlows?.opened).toBeGreaterThanOrEqual(1900);
    expect(found?.concurrentFlows?.opened).toBeLessThanOrEqual(2000);
  }
});

test("a router limits nothing", () => {
  translate(lab, undefined);
  const [tcp, udp, behaves] = measure(lab, { ...flows, maxFlows: 4000 }, { tool: "nat", probe: "behaviour" });
  for (const found of [tcp, udp]) {
    const unlimited = { opened: 4000, bound: 4000, limitReached: false, error: null };
    expect(found?.concurrentFlows).toMatchObject(unlimited);
  }
  expect(behaves?.behaviour).toEqual({
    mapping: "endpoint-independent-or-address-dependent",
    filtering: "endpoint-independent-or-address-dependent",
    portPreserved: true,
  });
});

test("connections a second are not limited by the kernel's own choice of source ports", () => {
  // 28,232 by default; so few here that a moment's connections exceed them.
  lab.run("client", "sysctl -qw net.ipv4.ip_local_port_range='40000 40049'");
  const [found] = measure(lab, {
    ...{ tool: "nat", probe: "connection-rate", durationSeconds: 2, concurrency: 400 },
  });
  lab.run("client", "sysctl -qw net.ipv4.ip_local_port_range='32768 60999'");
  expect(found?.connectionRate).toMatchObject({ failed: 0, errors: {} });
  expect(found?.connectionRate?.attempted).toBeGreaterThan(400);
});

test.each(["drop", "reject with tcp reset"])(
  "an instance's limit of 300 new connections a second is found where it has the others as: %s",
  (kind) => {
    translate(lab, undefined);
    const count = `'add table inet slow
add chain inet slow forward { type filter hook forward priority -200; }
add rule inet slow forward tcp flags syn / syn,ack limit rate over 300/second burst 5 packets counter ${kind}
add rule inet slow forward tcp flags syn / syn,ack counter'`;
    return judged(
      () => {
        lab.run("instance", `nft ${count}`);
        const [found] = measure(lab, { tool: "nat", probe: "connection-rate", durationSeconds: 5 });
        const rules = lab.run("instance", "nft list table inet slow; nft delete table inet slow");
        const [refused, passed] = [...rules.matchAll(/counter packets (\d+)/g)].map(([, one]) => Number(one));
        return { perSecond: found?.connectionRate?.perSecond, refused: refused!, passed: passed! };
      },
      ({ perSecond, refused, passed }) => {
        // The probe offered more; earlier, 128 connections that waited three seconds each offered 43 a second.
        expect(refused).toBeGreaterThan(0);
        expect(perSecond! / 300).toBeGreaterThan(0.85);
        expect(perSecond! / 300).toBeLessThan(1.05);
        expect(perSecond! * 5).toBeLessThanOrEqual(passed);
      },
    );
  },
);

const FORGETS_AFTER = 20;

test("a default instance forgets silent flows in time, maps and filters by port, and carries new connections", async () => {
  await lab.renewInstance();
  translate(lab, {});
  const timeouts = ["udp_timeout", "udp_timeout_stream", "tcp_timeout_established"];
  const set = timeouts.map((name) => `sysctl -qw net.netfilter.nf_conntrack_${name}=${FORGETS_AFTER}`);
  lab.run("instance", set.join("\n"));
  const [tcp, udp, behaves, rate] = measure(
    lab,
    { tool: "nat", probe: "idle-timeout", protocol: ["tcp", "udp"], maxSeconds: FORGETS_AFTER + 3 },
    { tool: "nat", probe: "behaviour" },
    { tool: "nat", probe: "connection-rate", durationSeconds: 1 },
  );
  expect([tcp?.idleTimeout?.protocol, udp?.idleTimeout?.protocol]).toEqual(["tcp", "udp"]);
  for (const found of [tcp, udp]) {
    const { survivedSeconds, diedSeconds } = found?.idleTimeout ?? {};
    expect(Math.abs((survivedSeconds ?? 0) - FORGETS_AFTER)).toBeLessThanOrEqual(2);
    expect(Math.abs((diedSeconds ?? 0) - FORGETS_AFTER)).toBeLessThanOrEqual(2);
  }
  expect(behaves?.behaviour).toEqual({
    mapping: "address-and-port-dependent",
    filtering: "address-and-port-dependent",
    portPreserved: false,
  });
  expect(rate?.connectionRate).toMatchObject({ failed: 0, errors: {} });
  expect(rate?.connectionRate?.perSecond).toBeGreaterThan(100);
});
