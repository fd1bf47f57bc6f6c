/** Refusals of a matrix before anything starts, also for `--list`. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { listLines, planMatrix } from "../../../cli/run/plan-cells.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";

const aws = { cloud: "aws", region: "us-east-1", plan: "quick", topologies: "direct" };
const azure = { cloud: "azure", region: "eastus", plan: "quick", topologies: "direct" };
const existing = (options: object) => ({
  ...{ cloud: "hosts", plan: "quick" },
  topologies: [{ topology: "existing", name: "a", ...options }],
});
const host = { address: "192.0.2.1", user: "u" };

function planned(text: string) {
  const file = join(directoryOfTest(), "m.yaml");
  writeFileSync(file, text);
  return planMatrix(file, null);
}

function list(cell: object, rest: object = {}): string[] {
  return listLines(planned(stringify({ name: "m", include: [cell], ...rest })));
}

it("a list above the budget says that nothing would start", () => {
  const [cell] = [{ ...aws, natSize: undefined }];
  expect(list(cell, { budget: 0.01 }).join("\n")).toMatch(/budget 0\.01 USD, which does not start/);
  expect(list(cell, { budget: 100 }).join("\n")).not.toContain("does not start");
});

const oneCase = { tool: "iperf3", pairs: 2, durationSeconds: 5, bitrate: "unlimited", protocol: "tcp" };
const ofHosts = "topologies.existing.";

describe.each<[string, object, [object, string][]]>([
  [
    "AWS",
    aws,
    [
      [{ clientSize: "c7gn.mediun" }, 'a machine size of AWS; got "c7gn.mediun"; did you mean c7gn.medium'],
      [{ serverSize: "c7g.3xlarge" }, 'got "c7g.3xlarge"'],
      [{ clientSize: "Standard_D2s_v5" }, "expected a machine size of AWS"],
      [{ topologies: "nat-instance", natSize: "t4g.mirco" }, 'got "t4g.mirco"; did you mean t4g.micro'],
      [{ region: "us-eats-1" }, 'expected a region of AWS; got "us-eats-1"; did you mean us-east-1'],
      [{ zone: "1" }, "zone: must be the name of an availability zone, such as us-east-1a"],
      [{ zone: "us-west-2a" }, 'zone: expected a zone of us-east-1, such as us-east-1a; got "us-west-2a"'],
      [{ zone: "us-east-1zz" }, 'got "us-east-1zz"'],
      [
        { settings: { clientInstanceTyp: "x" } },
        "clientInstanceTyp: is unknown; did you mean clientInstanceType",
      ],
      [{ pairs: 65 }, "include[0].pairs: expected at most 64; got 65"],
      [{ plan: { cases: [oneCase] } }, "pairs: got 2, but there is 1; set pairs to 2"],
    ],
  ],
  [
    "Azure",
    azure,
    [
      [
        { topologies: [{ topology: "nat-instance", size: "Standart_B2ats_v2" }] },
        'expected a machine size of Azure; got "Standart_B2ats_v2"; did you mean Standard_B2ats_v2',
      ],
      [{ region: "us-east-1" }, "region: expected a region of Azure"],
      [{ zone: "4" }, "zone: expected one of 1, 2, 3"],
    ],
  ],
  [
    "hosts",
    {},
    [
      [{ ...existing({ client: host, server: host }), pairs: 2 }, "pairs: "],
      [existing({ server: host }), `${ofHosts}client: is missing; expected an object`],
      [
        existing({ client: host, server: { address: "192.0.2.2" } }),
        `${ofHosts}server.user: is missing; expected a string`,
      ],
    ],
  ],
])("a cell of %s is refused for", (_, base, refused) => {
  it.each(refused)("%j", (change, message) => {
    const cell = { ...base, ...change };
    expect(() => list(cell)).toThrow(message);
    expect(() => list(cell)).toThrow(/m\.yaml: (the cell|include)/);
  });
});

it("accepts a size of a newer family, and says that its price is not known", () => {
  const lines = list({ ...aws, clientSize: "c99g.large" });
  expect(lines[0]).toContain("; no price known: vm-hour:c99g.large");
  expect(lines[1]).toContain("USD at most of the prices that are known");
  expect(list({ ...azure, serverSize: "Standard_D2ads_v9" })[0]).toContain("no price known");
});

it.each([
  ["__proto__", /axes: __proto__ cannot be the name of an axis/],
  ["a\nb", /axes: "a\\nb" cannot be the name of an axis/],
  ["", /axes: "" cannot be the name of an axis/],
])("refuses an axis named %j", (name, message) => {
  const axes = `${JSON.stringify(name)}: [{label: x, duration: 1}, {label: y, duration: 2}]`;
  expect(() => planned(`{name: m, axes: {${axes}}}`)).toThrow(message);
});

it.each(["a\nb", "a\u001b[31m", "\u202eb", "", "x".repeat(101)])("refuses the label %j", (label) => {
  expect(() => list({}, { include: [], defaults: aws, axes: { kind: [{ label, duration: 1 }] } })).toThrow(
    /axes\.kind\[0\]\.label: expected 1 to 100 characters in one line; got "/,
  );
});

it("refuses a pipe at once, and impossible values", () => {
  const directory = directoryOfTest();
  execFileSync("mkfifo", [join(directory, "pipe")]);
  expect(() => planMatrix(join(directory, "pipe"), null)).toThrow(
    /--matrix: .*pipe cannot be read: it is a pipe/,
  );
  expect(() => planMatrix(directory, null)).toThrow("cannot be read: it is a directory");
  expect(() => planned("name: &a [*a]")).toThrow(
    /--matrix: .*m\.yaml: expected plain values; got one that contains itself/,
  );
  expect(() => planned(JSON.stringify("x".repeat(500)))).toThrow(
    /m\.yaml: expected an object; got "x{90,110}…$/,
  );
  const none = { name: "m", defaults: { ...aws, topologies: [] } };
  expect(() => planned(stringify(none))).toThrow("defaults.topologies: expected at least 1 entry; got 0");
});

it("shows a value of several lines on one line", () => {
  const several = { include: [], defaults: { ...aws, region: undefined }, axes: { region: ["a\nb"] } };
  expect(() => list({}, several)).toThrow("the cell a b: region: expected a region of AWS");
});

it("accepts local zones, bare metal and hosts", () => {
  expect(list({ ...aws, zone: "us-east-1-bos-1a" })).toHaveLength(5);
  expect(list({ ...aws, clientSize: "c7g.metal" })).toHaveLength(5);
  expect(list(existing({ client: host, server: { ...host, address: "192.0.2.2" } }))).toHaveLength(2);
});

it("pairs that no case of the plan uses are reported before they cost money", () => {
  const sum = (plan: unknown) => list({ ...aws, pairs: 4, plan }).find((line) => line.startsWith("1 cell"));
  expect(sum("quick")).toMatch(/; 1 cell with pairs that no case uses: give cases pairs$/);
  const cases = [{ tool: "iperf3", pairs: 4, durationSeconds: 5 }];
  expect(sum({ cases })).not.toContain("pairs");
});
