/** How many flows a box with few ports carries, and that a router limits nothing. */
import { expect, test } from "vitest";
import { measure, probeLab } from "../../helpers/nat-probes.ts";

const flows = { tool: "nat", probe: "concurrent-flows", protocol: ["tcp", "udp"] };

test("a box with 2,000 ports carries 2,000 flows to one port, and more are refused", async () => {
  const lab = await probeLab({ portRange: { first: 2000, last: 3999 } });
  // 50 more than there are: that the limit is near the bound must not hide it.
  const [tcp, udp] = measure(lab, { ...flows, maxFlows: 2050 });
  for (const found of [tcp, udp]) {
    expect(found?.concurrentFlows).toMatchObject({ limitReached: true, bound: 2050, error: "ETIMEDOUT" });
    expect(found?.concurrentFlows?.opened).toBeGreaterThanOrEqual(1900);
    expect(found?.concurrentFlows?.opened).toBeLessThanOrEqual(2000);
  }
});

test("a router limits nothing", async () => {
  const lab = await probeLab(undefined);
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

test("connections a second do not end at the kernel's own choice of source ports", async () => {
  const lab = await probeLab(undefined);
  // 28,232 by default: few enough here that a moment's connections are more.
  lab.run("client", "sysctl -qw net.ipv4.ip_local_port_range='40000 40049'");
  const [found] = measure(lab, {
    ...{ tool: "nat", probe: "connection-rate", durationSeconds: 2, concurrency: 400 },
  });
  expect(found?.connectionRate).toMatchObject({ failed: 0, errors: {} });
  expect(found?.connectionRate?.attempted).toBeGreaterThan(400);
});
