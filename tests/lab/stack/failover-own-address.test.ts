/**
 * A pair of which each machine keeps an outside address of its own, as on Azure: sessions end with the machine, and new ones
 * go on. Proves what becomes of the flows; not a cloud's own share of the outage.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const FLOWS = 50;
const HOSTS = ["own-nat-1", "own-nat-2"];

let lab: LabStack;
let cases: readonly CaseResult[];
beforeAll(async () => {
  const failures = { tool: "failover", failure: ["kill", "drain"], durationSeconds: 8, downSeconds: 2 };
  lab = await openLabStack(
    {
      topologies: [{ name: "own", topology: "nat-instance-ha", outsideAddress: "own" }],
      plan: { cases: [{ ...failures, flows: FLOWS }] },
    },
    savingAtEnd,
  );
  ({
    results: { cases },
  } = await lab.up());
});
afterAll(() => lab.dispose());

const failover = (failure: string) => {
  const found = cases.find(({ id }) => id === `failover-${failure}`);
  expect(found?.failure).toBeNull();
  return found?.measurement?.failover;
};

test.each(["kill", "drain"])(
  "after %s no session lives, and new ones pass by the other machine",
  (failure) => {
    const found = failover(failure);
    expect(found?.flows.tcp).toMatchObject({ opened: FLOWS, survived: 0 });
    expect(found?.flows.udp).toMatchObject({ opened: FLOWS, survived: 0 });
    expect(found?.outages.new).toMatchObject({ ended: true });
  },
);

test("UDP goes on at once, from the other address", () => {
  expect(failover("kill")?.flows.udp).toMatchObject({ remapped: FLOWS, silent: 0 });
});

test("no connections are copied, and signs of life travel in UDP", () => {
  for (const host of HOSTS) {
    expect(lab.onHost(host, "ls /run/egress-bench-ha.d").trim()).toBe("keepalived");
    expect(lab.onHost(host, "ls /etc/egress-bench")).not.toContain("conntrackd");
    expect(lab.onHost(host, "ip -d link show ebpair0")).toMatch(/vxlan id 77 remote 198\.18\.1\.25[23]/);
  }
  const roles = HOSTS.map((host) => lab.onHost(host, "cat /run/egress-bench-ha").trim());
  expect(roles.sort()).toEqual(["active", "standby"]);
});
