/** Burst limits of a machine reach the benchmark, and never make a deployment fail. */
import { expect, it } from "vitest";
import type { EgressPath } from "../../../components/shared/egress.ts";
import type { Host } from "../../../components/shared/host.ts";
import { known } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

async function hosts(topology: string, options: Record<string, unknown> = {}) {
  const stack = await deployMocked([{ topology, ...options }], {
    settings: { clientInstanceType: "c7g.8xlarge" },
  });
  const [path] = stack.result.paths as [EgressPath];
  return { nat: path.observed[0] as Host, client: path.client, server: stack.result.server };
}

const burstOf = ({ burst }: Host) => known(burst);

const nano = { creditsPerHour: 6, maximumCredits: 144, initialCredits: 0 };
const network = { baselineBitsPerSecond: 32e6, peakBitsPerSecond: 5e9 };

it.each(["nat-instance", "fck-nat"])("of a %s is its CPU's and its network's", async (topology) => {
  const { nat } = await hosts(topology, { instanceType: "t4g.nano" });
  expect(await burstOf(nat)).toEqual({ cpu: { ...nano, mode: "unlimited" }, network });
});

it("of a self-healing machine lacks only the mode, which the group hides", async () => {
  const { nat } = await hosts("nat-instance", { instanceType: "t4g.nano", autoHeal: true });
  expect(await burstOf(nat)).toEqual({ cpu: { ...nano, mode: null }, network });
});

it("of a machine without CPU credits is the network's", async () => {
  const { server } = await hosts("nat-instance");
  expect(await burstOf(server)).toEqual({
    cpu: null,
    network: { baselineBitsPerSecond: 1.876e9, peakBitsPerSecond: 12.5e9 },
  });
});

it("is absent if a machine holds its peak", async () => {
  const { client } = await hosts("nat-instance");
  expect(await burstOf(client)).toBeNull();
});

it("comes from the table if EC2 does not answer, and the machine is made", async () => {
  const { nat } = await hosts("nat-instance", { instanceType: "t4g.2xlarge" });
  expect(await burstOf(nat)).toMatchObject({
    cpu: { creditsPerHour: 192 },
    network: { baselineBitsPerSecond: 2.048e9, peakBitsPerSecond: 5e9 },
  });
});

it("lacks figures that neither EC2 nor the table has", async () => {
  const { nat } = await hosts("nat-instance", { instanceType: "x2gd.medium" });
  expect(await burstOf(nat)).toBeNull();
});
