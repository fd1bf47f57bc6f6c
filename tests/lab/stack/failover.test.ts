/**
 * A NAT instance fails in the lab, alone and as one of a pair. Proves what becomes of the flows and what is said of it;
 * not how long it takes: that is `npm run bench -- failover`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const FLOWS = 100;
const case_ = (failure: string | string[]) => ({
  ...{ tool: "failover", failure, durationSeconds: 10, downSeconds: 3, flows: FLOWS },
});

let lab: LabStack;
let cases: readonly CaseResult[];
beforeAll(async () => {
  lab = await openLabStack(
    {
      topologies: ["nat-instance-ha", "nat-instance", "direct"],
      plan: { cases: [case_(["kill", "drain"])] },
    },
    savingAtEnd,
  );
  ({
    results: { cases },
  } = await lab.up());
});
afterAll(() => lab.dispose());

const find = (topology: string, failure: string) => {
  const found = cases.find((one) => one.topology === topology && one.id === `failover-${failure}`);
  expect(found).toBeDefined();
  return found as CaseResult;
};
const failover = (topology: string, failure: string) => {
  const { measurement, failure: why } = find(topology, failure);
  expect(why).toBeNull();
  return measurement?.failover;
};

test("the pair's flows outlive its active machine, which comes back as the standby", () => {
  const found = failover("nat-instance-ha", "kill");
  expect(found?.flows.tcp).toMatchObject({ opened: FLOWS, survived: FLOWS, reset: 0, silent: 0 });
  expect(found?.flows.udp).toMatchObject({ opened: FLOWS, survived: FLOWS, remapped: 0, silent: 0 });
  expect(found?.outages).toMatchObject({ new: { ended: true }, established: { ended: true } });
  expect(found?.outages.new.ms).toBeGreaterThan(0);
  expect(found?.readyAgainMs).toBeGreaterThan(3000);
});

test("the next failure is that of the machine that took over", () => {
  const [first, second] = [failover("nat-instance-ha", "kill"), failover("nat-instance-ha", "drain")];
  expect(first?.failedHost).toMatch(/^nat-instance-ha-nat-[12]$/);
  expect(second?.failedHost).toMatch(/^nat-instance-ha-nat-[12]$/);
  expect(second?.failedHost).not.toBe(first?.failedHost);
  expect(second?.flows.tcp.survived).toBe(FLOWS);
});

test("a machine alone takes its flows with it, and passes new ones once it has booted", () => {
  const found = failover("nat-instance", "kill");
  expect(found?.flows.tcp.survived).toBe(0);
  expect(found?.flows.udp.survived).toBe(0);
  expect(found?.outages.new).toMatchObject({ ended: true });
  expect(found?.outages.new.ms).toBeGreaterThan(3000);
});

test("what cannot fail is no failed measurement, and says why", () => {
  expect(find("nat-instance", "drain").failure).toMatchObject({
    class: "nothing-to-fail",
    message: expect.stringContaining("no way to drain"),
  });
  for (const failure of ["kill", "drain"]) {
    expect(find("direct", failure).failure).toMatchObject({
      class: "nothing-to-fail",
      message: expect.stringContaining("no NAT instance on this path"),
    });
  }
});

test("connections are in the kernel before the addresses lead there", () => {
  const program = lab.onHost("nat-instance-ha-nat-1", "cat /usr/local/sbin/egress-bench-ha");
  const active = program.slice(program.indexOf("\nactive)"), program.indexOf("\nstandby)"));
  expect(active.indexOf("state -c")).toBeGreaterThan(0);
  expect(active.indexOf("take_addresses")).toBeGreaterThan(active.indexOf("state -c"));
});

test("the copying of connections is started again when it dies", async () => {
  const pid = () => lab.onHost("nat-instance-ha-nat-2", "cat /run/egress-bench-ha.d/conntrackd").trim();
  const before = pid();
  lab.onHost("nat-instance-ha-nat-2", `kill -9 ${before}`);
  await expect.poll(pid, { timeout: 15_000 }).not.toBe(before);
  expect(lab.onHost("nat-instance-ha-nat-2", `kill -0 ${pid()} && echo alive`).trim()).toBe("alive");
});

test("the health check sees forwarding fail although every process lives", async () => {
  const roles = () =>
    ["nat-instance-ha-nat-1", "nat-instance-ha-nat-2"].map((host) =>
      lab.onHost(host, "cat /run/egress-bench-ha").trim(),
    );
  await expect.poll(() => [...roles()].sort(), { timeout: 15_000 }).toEqual(["active", "standby"]);
  const active = roles().indexOf("active");
  lab.onHost(`nat-instance-ha-nat-${active + 1}`, "sysctl -qw net.ipv4.ip_forward=0");
  await expect.poll(() => roles()[1 - active], { timeout: 15_000 }).toBe("active");
  await expect.poll(() => roles()[active], { timeout: 15_000 }).toBe("standby");
});
