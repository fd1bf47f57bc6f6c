/** The content of a stack, where mocked deployments (tests/components) cannot verify it. */
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { machineOf, machines } from "../../../bench/machines/index.ts";
import { vcpusByName } from "../../../bench/machines/vcpus.ts";
import { awsInventory } from "../../../stacks/aws/inventory.ts";
import { settingsSchema } from "../../../stacks/aws/settings.ts";

const plan = parsePlan({ cases: [{ tool: "iperf3", protocol: "tcp", durationSeconds: 8 }], repeat: 1 });

describe("the highest rate of a case without a rate", () => {
  const gbOut = (clientInstanceType: string) => {
    const topologies = [{ name: "direct", topology: "direct", options: {} }];
    const settings = settingsSchema.parse({ clientInstanceType });
    return awsInventory({ topologies, settings, pairs: 1, plan }).paths[0]?.usage.gbOut;
  };

  it.each(["c7g.8xlarge", "c7gn.16xlarge", "t4g.nano"])("is the rate that a client of %s reaches", (size) => {
    expect(gbOut(size)).toBe((machineOf(size)?.network.peakBitsPerSecond ?? 0) / 1e9);
  });

  it("is the usual client's for an unknown size", () => {
    expect(gbOut("unheard.of")).toBe(15);
  });
});

it("vCPUs by name agree with the table of machines, for every size in it", () => {
  for (const { cloud, size, vcpus } of [...machines.aws, ...machines.azure]) {
    expect(vcpusByName[cloud](size), size).toBe(vcpus);
  }
});
