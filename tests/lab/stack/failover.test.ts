/**
 * A NAT instance fails in the lab: as a single machine, in a pair, and in a pair whose machines keep their own outside
 * addresses, as on Azure. Proves the fate of the flows and its report; not how long it takes: that is `npm run bench --
 * failover`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { SERVER_ADDRESS } from "../../../components/local/addresses.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const FLOWS = 50;
/** Asking a host takes five programs. */
const PATIENT = { timeout: 20_000, interval: 300 };
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

test("the copying of connections is restarted when it dies", async () => {
  const pid = () => lab.onHost("nat-instance-ha-nat-2", "cat /run/egress-bench-ha.d/conntrackd").trim();
  const before = pid();
  lab.onHost("nat-instance-ha-nat-2", `kill -9 ${before}`);
  await expect.poll(pid, PATIENT).not.toBe(before);
  expect(lab.onHost("nat-instance-ha-nat-2", `kill -0 ${pid()} && echo alive`).trim()).toBe("alive");
});

const machines = ["nat-instance-ha-nat-1", "nat-instance-ha-nat-2"];
const role = (host: string) => lab.onHost(host, "cat /run/egress-bench-ha || true").trim();
/** Names of the two by their roles, once they have them. */
const activeAndStandby = async (): Promise<[active: string, standby: string]> => {
  await expect.poll(() => machines.map(role).toSorted(), PATIENT).toEqual(["active", "standby"]);
  return machines.toSorted((one, other) => role(one).localeCompare(role(other))) as [string, string];
};

test("a UDP flow gets its whole time-out after a take-over, whatever rest the standby's copy had", async () => {
  const [active, standby] = await activeAndStandby();
  const flow = "sport=4444 dport=9 ";
  lab.onHost(active, "sysctl -qw net.netfilter.nf_conntrack_udp_timeout=20");
  lab.onHost(
    "nat-instance-ha-client",
    `python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 4444)); s.sendto(b"", ("${SERVER_ADDRESS}", 9))'`,
  );
  const copies = () => lab.onHost(standby, "conntrackd -C /etc/egress-bench/conntrackd.conf -e");
  await expect.poll(copies, PATIENT).toContain(flow);
  // A machine whose copying started again a moment ago is handed nothing.
  const drained = () =>
    lab.onHost(active, "/usr/local/sbin/egress-bench-ha drain 2>/dev/null && echo yes || echo no").trim();
  await expect.poll(drained, PATIENT).toBe("yes");
  const left = () => {
    const lines = lab.onHost(standby, "conntrack -L -p udp 2>/dev/null").split("\n");
    return Number(lines.find((line) => line.includes(flow))?.split(/ +/)[2]);
  };
  await expect.poll(left, PATIENT).toBeGreaterThan(20);
  await expect.poll(left, PATIENT).toBeLessThanOrEqual(120);
});

test("the health check sees forwarding fail although every process lives", async () => {
  const [active, standby] = await activeAndStandby();
  lab.onHost(active, "sysctl -qw net.ipv4.ip_forward=0");
  await expect.poll(() => role(standby), PATIENT).toBe("active");
  await expect.poll(() => role(active), PATIENT).toBe("standby");
});
