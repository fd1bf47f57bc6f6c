/** The ready-made AWS stacks against mocks. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parsePlan } from "../../../bench/index.ts";
import { aws } from "../../../stacks/aws.ts";
import { deployMocked } from "./deploy.ts";

describe("stack files", () => {
  const files = readdirSync("stacks").filter((file) => file.startsWith("Pulumi.aws-"));

  it("exist for every topology, for comparisons and for a pair in two zones", () => {
    expect(files.map((file) => file.replace(/^Pulumi\.aws-|\.yaml$/g, "")).sort()).toEqual(
      [...Object.keys(aws.topologies), "compare", "fck-nat-sizes", "nat-instance-ha-zones"].sort(),
    );
  });

  it.each(files)("%s can be deployed", async (file) => {
    const { config } = parse(readFileSync(`stacks/${file}`, "utf8"));
    expect(parsePlan(config["egress-bench:plan"]).cases.length).toBeGreaterThan(0);
    const topologies = config["egress-bench:topologies"].map((entry: unknown) =>
      typeof entry === "string" ? { topology: entry } : entry,
    );
    const stack = await deployMocked(topologies, { settings: config["egress-bench:aws"] ?? {} });
    expect(stack.result.paths.length).toBe(topologies.length);
  });
});
