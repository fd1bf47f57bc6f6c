/**
 * docs/reference/changes.md matches the stand-ins' present behaviour: some of its rows made again, and properties of all.
 *
 * Not proved: the other rows; `npm run bench -- changes` makes them all.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Step } from "../helpers/changes/change.ts";
import { awsOutcomes, azureOutcomes } from "../helpers/changes/run.ts";
import { rowsOf, takesPairDown, withoutTable } from "../helpers/changes/table.ts";
import { exportedClasses } from "../helpers/exported-classes.ts";

const page = readFileSync("docs/reference/changes.md", "utf8");

/** A component's table on the page. */
function tableOnPage(cloud: string, title: string): string {
  const ofCloud = page.split("\n## ").find((part) => part.startsWith(`${cloud}\n`)) ?? "";
  return ofCloud.split("\n### ").find((part) => part.startsWith(`${title}\n`)) ?? "";
}

it.each([
  [
    "AWS",
    awsOutcomes,
    {
      "`NatInstance`, one machine": [
        ...["privateCidrs", "subnetId", "instanceType", "keyName", "volume.kmsKeyId", "iamInstanceProfile"],
        "lists in another order",
      ],
      "`NatInstance`, a pair in two zones": ["instanceType", "publicIps"],
      "`NatInstance`, several addresses": ["publicIps, reversed"],
      "`NatGatewayEgress`": ["zone", "zones, first of AWS's choice"],
      "`Network`, with a NAT instance in it": ["cidr", "zone"],
      "`BenchPair`": ["client, on spot"],
    },
  ],
  [
    "Azure",
    azureOutcomes,
    {
      "`NatInstance`, one machine": ["subnetId", "highAvailability"],
      "`NatInstance`, a pair": ["size", "proximityPlacementGroupId", "highAvailability"],
      "`NatGatewayEgress`": ["publicIps", "zone", "zone, with a prefix"],
      "`LoadBalancerEgress`": ["publicIps"],
      "`FirewallEgress`": ["tier"],
    },
  ],
] as const)("some changes on %s match the page", { timeout: 600_000 }, async (cloud, make, only) => {
  const outcomes = await make(only);
  expect(outcomes.size).toBe(Object.keys(only).length);
  for (const [{ title, base }, all] of outcomes) {
    for (const outcome of all) {
      const published = tableOnPage(cloud, title)
        .split("\n")
        .map((line) => line.split(" | "))
        .filter(([name = ""]) => name.startsWith(`| \`${outcome.argument}\``))
        .map(([name = "", ...cells]) => [name.slice(2), ...cells].map((cell) => cell.replace(/ ?\|$/, "")));
      expect(published, title).toEqual(rowsOf(outcome, "highAvailability" in base));
    }
  }
});

it("no change removes both machines of a pair at once", () => {
  expect(page).toContain("one machine after the other");
  expect(page).not.toContain("both machines at once");
});

it("lists in another order change nothing", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `lists in another order` |"));
  expect(rows).toEqual(Array(3).fill("| `lists in another order` | nothing | none | none |"));
});

it("every exported component is on the page", () => {
  const clouds = { "azure/": "Azure", "aws/": "AWS" };
  const missing = exportedClasses([
    "components/index.ts",
    "components/azure/index.ts",
    "components/aws/index.ts",
  ])
    .map(({ name }) => name)
    .filter((name) => {
      const [directory, cloud] = Object.entries(clouds).find(([one]) => name.startsWith(one)) ?? ["", ""];
      const title = `\`${name.slice(directory.length)}\``;
      const ofCloud = page.split("\n## ").find((part) => part.startsWith(`${cloud}\n`)) ?? "";
      return !ofCloud.includes(`\n### ${title}`) && !withoutTable.includes(title);
    });
  expect(missing).toEqual([]);
});

it("a pair is down when its second machine is touched before the first is back", () => {
  const step = (type: string, name: string, begun: number): Step => ({
    ...{ urn: name, type, name, begun, op: "replace", inputs: [], deletedFirst: true },
    ended: begun + 1,
  });
  const machines = [step("Instance", "nat-1", 1), step("Instance", "nat-2", 5)];
  expect(takesPairDown(machines)).toBe(true);
  expect(takesPairDown([...machines, step("Command", "nat-1-ready", 2)])).toBe(false);
  expect(takesPairDown([...machines, step("Command", "nat-1-ready", 4)])).toBe(true);
});
