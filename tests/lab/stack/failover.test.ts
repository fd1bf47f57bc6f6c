/**
 * A NAT instance fails in the lab: as a single machine, in a pair, and in a pair whose machines keep their own outside
 * addresses, as on Azure. Proves the fate of the flows and its report; not how long it takes: that is `npm run bench --
 * failover`. What a pair's programs survive: tests/lab/nat-instance/pair-failures.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { type Machine, machines, PairObserver } from "../../helpers/pair-observer.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";
import { liarsOf } from "../pair-trial/trial.ts";

const FLOWS = 50;
const OWN = ["own-nat-1", "own-nat-2"];

let lab: LabStack;
let cases: readonly CaseResult[];
beforeAll(async () => {
  const failures = { tool: "failover", failure: ["kill", "drain"], durationSeconds: 8, downSeconds: 3 };
  lab = await openLabStack(
    {
      topologies: [
        "nat-instance-ha",
        "nat-instance",
        { name: "own", topology: "nat-instance-ha", outsideAddress: "own" },
      ],
      plan: { cases: [{ ...failures, flows: FLOWS, intervalMs: 20 }] },
    },
    { environment: savingAtEnd },
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

test("the next failure hits the machine that took over", () => {
  const [first, second] = [failover("nat-instance-ha", "kill"), failover("nat-instance-ha", "drain")];
  expect(first?.failedHost).toMatch(/^nat-instance-ha-nat-[12]$/);
  expect(second?.failedHost).toMatch(/^nat-instance-ha-nat-[12]$/);
  expect(second?.failedHost).not.toBe(first?.failedHost);
  expect(second?.flows.tcp.survived).toBe(FLOWS);
});

test("a single machine loses its flows, and passes new ones once it has booted", () => {
  const found = failover("nat-instance", "kill");
  expect(found?.flows.tcp.survived).toBe(0);
  expect(found?.flows.udp.survived).toBe(0);
  expect(found?.outages.new).toMatchObject({ ended: true });
  expect(found?.outages.new.ms).toBeGreaterThan(3000);
});

test("a failure that is impossible is no failed measurement, and has its reason", () => {
  expect(find("nat-instance", "drain").failure).toMatchObject({
    class: "nothing-to-fail",
    message: expect.stringContaining("no way to drain"),
  });
});

test.each(["kill", "drain"])(
  "with an address for each machine, no session survives %s, and new ones pass through the other",
  (failure) => {
    const found = failover("own", failure);
    expect(found?.flows.tcp).toMatchObject({ opened: FLOWS, survived: 0 });
    expect(found?.flows.udp).toMatchObject({ opened: FLOWS, survived: 0 });
    expect(found?.outages.new).toMatchObject({ ended: true });
  },
);

test("UDP then continues at once, from the other address", () => {
  expect(failover("own", "kill")?.flows.udp).toMatchObject({ remapped: FLOWS, silent: 0 });
});

test("no connections are then copied, and signs of life travel in UDP", () => {
  for (const host of OWN) {
    // A drained machine keeps the process id of the command that drained it.
    const programs = lab.onHost(host, "ls --ignore=leaving /run/egress-bench-ha.d");
    expect(programs.trim().split("\n")).toEqual(["daemon", "supervisor"]);
    expect(lab.onHost(host, "ls /etc/egress-bench")).not.toContain("conntrackd");
  }
  const roles = OWN.map((host) => lab.onHost(host, "cat /run/egress-bench-ha").trim());
  expect(roles.sort()).toEqual(["active", "standby"]);
});

describe("a pair whose active machine is cut off", () => {
  let observer: PairObserver;
  beforeAll(() => {
    observer = new PairObserver(lab.lab);
  });
  const datagrams = 500;
  const switched = (machine: Machine, state: "up" | "down") =>
    lab.onHost(
      "nat-instance-ha-switch",
      `ip link set nat${machine} ${state}; ip link set out${machine} ${state}`,
    );
  const SOON = { timeout: 60_000 };

  test("no machine says that it carries what the neighbours send to the other", async () => {
    const ready = () => machines.map((machine) => observer.status(machine)?.ready);
    await expect.poll(ready, SOON).toEqual([true, true]);
    const cut = observer.carrier() as Machine;
    expect(observer.status(cut)?.role).toBe("active");
    const other = cut === 1 ? 2 : 1;
    switched(cut, "down");
    try {
      await expect.poll(() => [observer.carrier(), liarsOf(observer, machines)], SOON).toEqual([other, []]);
      expect(observer.status(cut)?.role).toBe("taking");
      await expect.poll(() => observer.status(other)?.role, SOON).toBe("active");
      const before = observer.sent();
      lab.onHost(
        "nat-instance-ha-client",
        `python3 -c 'import socket; one = socket.socket(type=socket.SOCK_DGRAM); [one.sendto(b"", ("198.18.0.1", 9)) for _ in range(${datagrams})]'`,
      );
      const forwarded = observer.sent().map((now, at) => now - (before[at] ?? 0) >= datagrams);
      expect(forwarded).toEqual(machines.map((machine) => machine === other));
    } finally {
      switched(cut, "up");
    }
    await expect.poll(() => observer.status(cut)?.role, SOON).toBe("standby");
  });
});
