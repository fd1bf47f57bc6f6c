/** A matrix's file: refusals, and the resulting cells. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { stringify } from "yaml";
import { stackOf } from "../../../cli/run/cell-stack.ts";
import { expand } from "../../../cli/run/expand.ts";
import { readMatrix } from "../../../cli/run/matrix-file.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";

const aws = { cloud: "aws", topologies: ["direct"] };
const cells = (file: object) => expand(readMatrix(stringify({ name: "m", ...file })));
const axesOf = (file: object) => cells(file).map(({ axes }) => Object.values(axes).join(" "));

describe("refusals", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const b = { ...aws, region: "b" };
  const one = { defaults: aws, axes: { region: ["a"] } };
  const two = { region: ["a"], at: [{ region: "b" }] };
  const ofAws = (topologies: unknown[]) => ({ defaults: { cloud: "aws" }, axes: { topologies } });
  const lab = { defaults: { cloud: "local", topologies: "direct" }, axes: { region: ["a"] } };
  const expected = "defaults.cloud: expected one of azure, aws, local, hosts;";
  it.each<[object, string]>([
    [{ axis: {} }, "axis: is unknown; did you mean axes?"],
    [{ defaults: { clouds: "aws" } }, "defaults.clouds: is unknown; did you mean cloud?"],
    [{ axes: { regoin: ["a"] } }, "axes.regoin: is not a key of a cell; did you mean region?"],
    [{ axes: { at: [{ regin: "a" }] } }, "axes.at[0].regin: is unknown; did you mean region?"],
    [{ defaults: { cloud: "awss" } }, `${expected} got "awss"; did you mean aws?`],
    [{ maxParallel: "4" }, 'maxParallel: expected a number; got "4"'],
    [{ axes: { region: [] } }, "axes.region"],
    [{ defaults: aws, axes: { region: ["a", "a"] } }, 'axes.region: two values are called "a"'],
    [{ axes: two }, "axes.at: sets region, which axes.region sets too"],
    [{ name: "M 1" }, "name: expected 1 to 20 lower-case letters"],
    [{ backend: "bucket" }, "backend: expected the URL of a Pulumi backend"],
    [{ defaults: aws }, "no cell is left"],
    [{ ...one, exclude: [{ cloud: "aws" }] }, "no cell is left"],
    [{ axes: { topologies: [["direct"]] } }, "the cell direct: has no cloud"],
    [ofAws([["natgateway"]]), '"natgateway" is not a topology; did you mean nat-gateway'],
    [ofAws(["firewall"]), "AWS has no firewall; exclude it"],
    [lab, "region: Lab has no such option"],
    [{ ...one, include: [b, b] }, "is listed twice"],
  ])("name what is wrong in %j", (file, message) => {
    expect(() => cells(file)).toThrow(message);
  });

  it("name too many cells", () => {
    const file = { defaults: aws, axes: { duration: upTo(50), pairs: upTo(41) } };
    expect(() => cells(file)).toThrow("expected at most 2000 cells; got 2050");
  });

  it("name a plan that cannot be measured, and its cell", () => {
    const [cell] = cells({ defaults: { ...aws, plan: "quik" }, axes: { region: ["us-east-1"] } });
    expect(() => stackOf(cell as never, { config: {} }, ".")).toThrow(
      'the cell us-east-1: plan: got "quik"; expected quick',
    );
  });
});

describe("cells", () => {
  it("are the product of the axes, the first slowest", () => {
    expect(axesOf({ defaults: aws, axes: { region: ["a", "b"], tuning: ["none", "throughput"] } })).toEqual([
      "a none",
      "a throughput",
      "b none",
      "b throughput",
    ]);
  });

  it("leave out those that exclude matches, by any key", () => {
    const axes = { region: ["a", "b"], pairs: [1, 2] };
    expect(
      axesOf({
        defaults: aws,
        axes,
        exclude: [
          { region: "a", pairs: 2 },
          { cloud: "aws", pairs: 1, region: "b" },
        ],
      }),
    ).toEqual(["a 1", "b 2"]);
  });

  it("get the keys of an entry of include that contradicts no axis, else it is a cell of its own", () => {
    const made = cells({
      defaults: { topologies: "direct" },
      axes: { cloud: ["aws", "azure"] },
      include: [
        { cloud: "aws", clientSize: "c7g.large" },
        { cloud: "local", tuning: "none" },
      ],
    });
    expect(made.map(({ keys }) => keys)).toEqual([
      { topologies: ["direct"], cloud: "aws", clientSize: "c7g.large" },
      { topologies: ["direct"], cloud: "azure" },
      { topologies: ["direct"], cloud: "local", tuning: "none" },
    ]);
  });

  it("get several keys of a value of an axis with a name of its own", () => {
    const places = [
      { label: "near", cloud: "aws", region: "us-east-1" },
      { cloud: "azure", region: "japaneast" },
    ];
    const made = cells({ defaults: { topologies: "direct" }, axes: { place: places } });
    expect(made.map(({ axes }) => axes.place)).toEqual(["near", "azure japaneast"]);
    expect(made[1]?.keys).toMatchObject({ cloud: "azure", region: "japaneast" });
  });

  it("have names that depend only on their choices", () => {
    const file = { defaults: aws, axes: { region: ["a", "b"] } };
    const [first, second] = cells(file);
    const [other] = cells({ defaults: aws, axes: { region: ["b"] } });
    expect(other?.name).toBe(second?.name);
    expect(first?.name).toMatch(/^m-a-[0-9a-f]{8}$/);
    expect(cells({ ...file, config: { "ssh:allowedCidrs": "203.0.113.0/24" } })[0]?.name).not.toBe(
      first?.name,
    );
  });

  test("number the product minus the excluded ones, with distinct names", () => {
    const count = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(count, count, count, (regions, pairs, durations) => {
        const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
        const axes = {
          region: upTo(regions).map((one) => `r${one}`),
          pairs: upTo(pairs),
          duration: upTo(durations),
        };
        const excluded = cells({
          defaults: aws,
          axes: { ...axes, region: [...axes.region, "gone"] },
          exclude: [{ region: "gone" }],
        });
        expect(excluded).toHaveLength(regions * pairs * durations);
        expect(new Set(excluded.map(({ name }) => name)).size).toBe(excluded.length);
        expect(excluded.every(({ name }) => /^[\w.-]{1,60}$/.test(name))).toBe(true);
      }),
    );
  });
});

describe("the stack of a cell", () => {
  const stack = (keys: object) =>
    stackOf(
      cells({ defaults: keys, axes: { duration: [7] } })[0] as never,
      { config: { "ssh:allowedCidrs": "203.0.113.7/32" } },
      ".",
    );

  it("has each cloud's own names for region and sizes", () => {
    const common = {
      topologies: ["direct", "nat-instance"],
      settings: { tags: { team: "net" } },
    };
    const ofAws = {
      clientSize: "c7g.large",
      serverSize: "c7g.xlarge",
      natSize: "t4g.nano",
      zone: "us-east-1b",
    };
    const ofAzure = { clientSize: "Standard_D2s_v5", serverSize: "Standard_D4s_v5", zone: 2 };
    expect(stack({ ...common, ...ofAws, cloud: "aws", region: "us-east-1" }).text).toBe(
      `config:
  ssh:allowedCidrs: 203.0.113.7/32
  aws:region: us-east-1
  egress-bench:cloud: aws
  egress-bench:topologies:
    - direct
    - topology: nat-instance
      instanceType: t4g.nano
  egress-bench:aws:
    tags:
      team: net
    zone: us-east-1b
    clientInstanceType: c7g.large
    serverInstanceType: c7g.xlarge
  egress-bench:plan:
    preset: quick
    durationSeconds: "7"
`,
    );
    expect(
      stack({ ...common, ...ofAzure, cloud: "azure", region: "japaneast", serverRegion: "japanwest" }).file
        .settings,
    ).toEqual({
      tags: { team: "net" },
      location: "japaneast",
      serverLocation: "japanwest",
      zone: "2",
      clientSize: "Standard_D2s_v5",
      serverSize: "Standard_D4s_v5",
    });
  });

  it("keeps the size in a topology's own entry", () => {
    const { file } = stack({
      cloud: "azure",
      natSize: "Standard_B1s",
      topologies: [{ topology: "nat-instance", size: "Standard_B2s" }],
    });
    expect(file.topologies[0]?.options).toEqual({ size: "Standard_B2s" });
  });
});

test("a cell's name includes the content of its plan's file, or a preset's name", () => {
  const directory = directoryOfTest();
  const named = (plan: string, bitrate: string) => {
    writeFileSync(join(directory, "p.json"), JSON.stringify({ cases: [{ tool: "iperf3", bitrate }] }));
    const file = readMatrix(stringify({ name: "m", defaults: { ...aws, plan }, axes: { region: ["a"] } }));
    return expand(file, directory)[0]!.name;
  };
  expect(named("p.json", "20M")).not.toBe(named("p.json", "90M"));
  expect(named("p.json", "20M")).toBe(named("p.json", "20M"));
  expect(named("quick", "20M")).toBe(
    cells({ defaults: { ...aws, plan: "quick" }, axes: { region: ["a"] } })[0]!.name,
  );
});
