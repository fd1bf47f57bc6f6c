/**
 * Findings of the NAT probes: the number of flows through a NAT instance with few ports, no limit through a router, and a
 * default instance's behaviour, which forgets silent flows.
 */
import { expect, test } from "vitest";
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

test("an instance's limit of 300 new connections a second is found, even if it drops the others silently", () => {
  translate(lab, undefined);
  const limit = (kind: string) => {
    lab.run(
      "instance",
      `nft 'add table inet slow; add chain inet slow forward { type filter hook forward priority -200; }'
nft 'add rule inet slow forward tcp flags syn / syn,ack limit rate over 300/second burst 5 packets ${kind}'`,
    );
    const [found] = measure(lab, { tool: "nat", probe: "connection-rate", durationSeconds: 5 });
    lab.run("instance", "nft delete table inet slow");
    return found?.connectionRate?.perSecond;
  };
  for (const kind of ["drop", "reject with tcp reset"]) {
    const perSecond = limit(kind);
    // A busy machine may offer fewer than 300; earlier, 128 connections that waited three seconds each offered 43.
    expect(perSecond).toBeGreaterThan(100);
    expect(perSecond).toBeLessThan(310);
  }
});

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
