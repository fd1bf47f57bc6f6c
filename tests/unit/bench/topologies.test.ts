/**
 * Topology records must agree with stack files, prices and docs. The compiler checks that a cloud's registry has each
 * of its topologies; tests/components checks that the components build what a record says.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type CloudName,
  isPriced,
  type Topology,
  topologies,
  topologyNamed,
} from "../../../bench/topologies/index.ts";
import { priceSnapshots } from "../../../report/index.ts";

const root = new URL("../../../", import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), "utf8");

const records = Object.entries(topologies) as [name: string, record: Topology][];
const onClouds = records.flatMap(([name, record]) =>
  record.clouds.map((cloud) => [cloud, name, record] as const),
);
const prefix: Record<CloudName, string> = { azure: "", aws: "aws-", local: "local-", hosts: "hosts-" };

/** Rows of the Markdown table that follows a heading cell, each as its cells. */
function tableRows(document: string, firstHeading: string): string[][] {
  const lines = document.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHeading} |`));
  const rest = lines.slice(start + 2);
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const named = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

describe.each(onClouds)("%s %s", (cloud, name) => {
  it("has a stack file of its own", () => {
    const { config } = parse(text(`stacks/Pulumi.${prefix[cloud]}${name}.yaml`));
    expect(config["egress-bench:cloud"]).toBe(cloud);
    const [entry, ...others] = config["egress-bench:topologies"];
    expect(others).toEqual([]);
    expect(entry.topology ?? entry).toBe(name);
  });
});

describe.each(onClouds.filter(([cloud]) => isPriced(cloud)))("%s %s", (cloud, _, { charges }) => {
  it("has a price for each of its charges", () => {
    const { prices } = priceSnapshots[cloud as "azure" | "aws"];
    const here = charges.filter(({ clouds }) => clouds?.includes(cloud) ?? true);
    const meters = prices.map(({ meter }) => meter.replace(/^vm-hour:.*/, "vm-hour"));
    expect(meters).toEqual(expect.arrayContaining(here.map(({ meter }) => meter)));
  });
});

describe("docs/choosing.md", () => {
  const rows = tableRows(text("docs/choosing.md"), "topology");

  it("has a row for each topology and no other", () => {
    expect(rows.flatMap(([names]) => named(names)).sort()).toEqual(Object.keys(topologies).sort());
  });

  it.each(rows.flatMap(([names, ...cells]) => named(names).map((name) => [name as string, cells] as const)))(
    "says what %s is charged for",
    (name, [hours, gb, address, disk, egress]) => {
      const charges = topologyNamed(name)?.charges ?? [];
      const of = (kind: string) => charges.filter((charge) => charge.kind === kind);
      const said = { service: hours !== "", data: gb !== "" && gb !== "not priced", disk: disk !== "" };
      expect(said).toEqual({
        service: of("service").length > 0,
        data: of("data").length > 0,
        disk: of("disk").length > 0,
      });
      const count = of("address")[0]?.count;
      expect(address).toBe(count === undefined ? "" : count === "addresses" ? "as measured" : `${count}`);
      expect(egress).toBe(of("egress").length > 0 ? "yes" : "");
    },
  );
});

describe("docs/plans.md", () => {
  it("names the topologies whose clients a server can connect to", () => {
    const list = /server can reach the client: ([^.]*)\./.exec(text("docs/plans.md"))?.[1];
    const reachable = records.filter(([, { jumpHost }]) => !jumpHost).map(([name]) => name);
    expect(named(list).sort()).toEqual(reachable.sort());
  });
});

it.each(["constructor", "no-such", ""])("%j is not a topology", (name) => {
  expect(topologyNamed(name)).toBeUndefined();
});
