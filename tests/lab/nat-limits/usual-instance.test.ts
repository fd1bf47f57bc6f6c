/**
 * A box as it usually is, which forgets silent flows. All probes at once, in a file of its own, so that the
 * silence runs beside other tests.
 */
import { expect, test } from "vitest";
import { measure, probeLab } from "../../helpers/nat-probes.ts";

const FORGETS_AFTER = 20;

test("a box forgets silent flows in time, maps and filters by port, and carries new connections", async () => {
  const lab = await probeLab({});
  const timeouts = ["udp_timeout", "udp_timeout_stream", "tcp_timeout_established"];
  const set = timeouts.map((name) => `sysctl -qw net.netfilter.nf_conntrack_${name}=${FORGETS_AFTER}`);
  lab.run("box", set.join("\n"));
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
