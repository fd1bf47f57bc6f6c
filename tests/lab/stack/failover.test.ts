/**
 * A NAT instance fails in the lab, alone and as one of a pair. Proves what becomes of the flows and what is said of it;
 * not how long it takes: that is `npm run bench -- failover`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { SERVER_ADDRESS } from "../../../components/local/addresses.ts";
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

const machines = ["nat-instance-ha-nat-1", "nat-instance-ha-nat-2"];
const role = (host: string) => lab.onHost(host, "cat /run/egress-bench-ha || true").trim();
/** Names of the two by their roles, once they have them. */
const activeAndStandby = async (): Promise<[active: string, standby: string]> => {
  await expect.poll(() => machines.map(role).toSorted(), { timeout: 15_000 }).toEqual(["active", "standby"]);
  return machines.toSorted((one, other) => role(one).localeCompare(role(other))) as [string, string];
};

test("a UDP flow gets its whole time-out when it is taken over, however little the standby knew it to have", async () => {
  const [active, standby] = await activeAndStandby();
  const flow = "sport=4444 dport=9 ";
  lab.onHost(active, "sysctl -qw net.netfilter.nf_conntrack_udp_timeout=20");
  lab.onHost(
    "nat-instance-ha-client",
    `python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 4444)); s.sendto(b"", ("${SERVER_ADDRESS}", 9))'`,
  );
  const copies = () => lab.onHost(standby, "conntrackd -C /etc/egress-bench/conntrackd.conf -e");
  await expect.poll(copies, { timeout: 15_000 }).toContain(flow);
  lab.onHost(active, "/usr/local/sbin/egress-bench-ha drain");
  const left = () => {
    const lines = lab.onHost(standby, "conntrack -L -p udp 2>/dev/null").split("\n");
    return Number(lines.find((line) => line.includes(flow))?.split(/ +/)[2]);
  };
  await expect.poll(left, { timeout: 15_000 }).toBeGreaterThan(20);
  await expect.poll(left, { timeout: 15_000 }).toBeLessThanOrEqual(120);
});

test("the health check sees forwarding fail although every process lives", async () => {
  const [active, standby] = await activeAndStandby();
  lab.onHost(active, "sysctl -qw net.ipv4.ip_forward=0");
  await expect.poll(() => role(standby), { timeout: 15_000 }).toBe("active");
  await expect.poll(() => role(active), { timeout: 15_000 }).toBe("standby");
});
