/** What a run that broke off says of hosts that it never heard from. */
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../../bench/index.ts";
import { RunSteps } from "../../../../cli/run/run-steps.ts";

const plan = parsePlan({
  cases: [{ id: "all", tool: "iperf3", protocol: "tcp", pairs: 2, durationSeconds: 1 }],
});

function pairNames(cloud: "azure" | "aws" | "local", name: string, topology: string) {
  const file = { cloud, topologies: [{ name, topology, options: {} }] };
  const steps = new RunSteps({ plan, file, serverAddress: "server" });
  const [benchCase] = steps.results("a-stack", "1", "interrupted").cases;
  return benchCase?.pairs?.map(({ client, server }) => [client, server]);
}

describe("hosts of a run that broke off", () => {
  it.each(["azure", "aws", "local"] as const)("have the names that components of %s give them", (cloud) => {
    expect(pairNames(cloud, "nat", "nat-instance")).toEqual([
      ["nat-client", "server"],
      ["nat-client-2", "server-2"],
    ]);
  });

  it("are named after their path where it has a server of its own", () => {
    expect(pairNames("azure", "vpn", "vpn-gateway")).toEqual([
      ["vpn-client", "vpn-server"],
      ["vpn-client-2", "vpn-server-2"],
    ]);
  });
});
