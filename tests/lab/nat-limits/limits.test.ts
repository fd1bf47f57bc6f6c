/** What the NAT probes find at real boxes, and that they find nothing where nothing is limited. */
import { expect, test } from "vitest";
import { measure, probeLab } from "../../helpers/nat-probes.ts";

const flows = { tool: "nat", probe: "concurrent-flows", protocol: ["tcp", "udp"] };

test("a box with 2,000 ports", async () => {
  const lab = await probeLab({ portRange: { first: 2000, last: 3999 } });
  const found = measure(lab, { ...flows, maxFlows: 4000 });
  for (const { concurrentFlows } of found) {
    expect(concurrentFlows).toMatchObject({ limitReached: true, bound: 4000, error: "ETIMEDOUT" });
    expect(concurrentFlows?.opened).toBeGreaterThanOrEqual(1900);
    expect(concurrentFlows?.opened).toBeLessThanOrEqual(2000);
  }
  const [rate] = measure(lab, { tool: "nat", probe: "connection-rate", durationSeconds: 2 });
  console.log(JSON.stringify([found, rate], null, 1));
});

test("a box of the usual kind maps and filters by port, and changes the port", async () => {
  const lab = await probeLab({});
  const [found] = measure(lab, { tool: "nat", probe: "behaviour" });
  expect(found?.behaviour).toEqual({
    mapping: "address-and-port-dependent",
    filtering: "address-and-port-dependent",
    portPreserved: false,
  });
});

test("a router limits nothing", async () => {
  const lab = await probeLab(undefined);
  const [tcp, udp, behaves] = measure(lab, { ...flows, maxFlows: 4000 }, { tool: "nat", probe: "behaviour" });
  for (const found of [tcp, udp]) {
    expect(found?.concurrentFlows).toMatchObject({
      opened: 4000,
      bound: 4000,
      limitReached: false,
      error: null,
    });
  }
  expect(behaves?.behaviour).toEqual({
    mapping: "endpoint-independent-or-address-dependent",
    filtering: "endpoint-independent-or-address-dependent",
    portPreserved: true,
  });
  const [rate] = measure(lab, { tool: "nat", probe: "connection-rate", durationSeconds: 2 });
  console.log(JSON.stringify([tcp, udp, rate], null, 1));
});
