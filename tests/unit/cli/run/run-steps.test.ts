/** Results of a broken-off run about hosts that never reported. */
import { describe, expect, it } from "vitest";
import { topologyResult } from "../../../../bench/assemble/assemble.ts";
import { parsePlan } from "../../../../bench/index.ts";
import type { CaseResult } from "../../../../bench/results/index.ts";
import { RunSteps } from "../../../../cli/pulumi/run-steps.ts";
import { handMadeResults } from "../../../fixtures/results/hand-made.ts";
import { onePair, silentReport } from "../../bench/fixture.ts";

const plan = parsePlan({
  cases: [{ id: "all", tool: "iperf3", protocol: "tcp", pairs: 2, durationSeconds: 1 }],
});

function pairNames(cloud: "azure" | "aws" | "local", name: string, topology: string) {
  const file = { cloud, topologies: [{ name, topology, options: {} }] };
  const steps = new RunSteps({ plan, file, serverAddress: "server" });
  const [benchCase] = steps.results("a-stack", "1", "interrupted").cases;
  return benchCase?.pairs?.map(({ client, server }) => [client, server]);
}

describe("the path of a run that broke off", () => {
  const path = (topology: string, sourceIp: string | null, failure: object | null = null) => {
    const run = { name: "way", topology, hosts: [] };
    const failed = { ...handMadeResults().cases[0], topology: "way", failure } as CaseResult;
    const pairs = onePair({ ...silentReport, sourceIp });
    const runs = plan.cases.map((one) => ({ topology: "way", case: one, command: "", pairs }));
    const expectedSourceIps = topology === "default-snat" ? [] : null;
    return topologyResult({ ...run, expectedSourceIps }, [failed], runs).path;
  };

  it("is proved if hosts measured, since they refuse other addresses", () => {
    expect(path("nat-gateway", "192.0.2.7")).toEqual({
      ...{ status: "proved", sourceIps: ["192.0.2.7"], message: null },
    });
    const refused = { class: "path-mismatch", message: "saw another", attempts: 1 };
    expect(path("nat-gateway", "192.0.2.7", refused)).toMatchObject({ status: "mismatch" });
    expect(path("nat-gateway", null)).toMatchObject({ status: "unknown" });
    expect(path("default-snat", "192.0.2.7")).toMatchObject({ status: "unknown" });
  });

  it("is asked for so by the commands", () => {
    const topologies = ["nat-gateway", "default-snat"].map((topology) => ({
      name: topology,
      topology,
      options: {},
    }));
    const steps = new RunSteps({ plan, file: { cloud: "azure", topologies }, serverAddress: "server" });
    expect(
      steps.results("a-stack", "1", "interrupted").topologies.map(({ path: made }) => made.message),
    ).toEqual(Array(2).fill("the server reported no source address for any case"));
  });
});

describe("the words of a run that broke off", () => {
  it("state how much was measured, without incomplete cases", () => {
    const topologies = ["direct", "nat-instance"].map((topology) => ({
      name: topology,
      topology,
      options: {},
    }));
    const two = parsePlan({
      cases: ["one", "two"].map((id) => ({
        id,
        tool: "iperf3",
        protocol: "tcp",
        pairs: 2,
        durationSeconds: 1,
      })),
    });
    const steps = new RunSteps({ plan: two, file: { cloud: "local", topologies }, serverAddress: "server" });
    expect(steps.ended("interrupted")).toBe("ended with 0 of 4 measured: interrupted");
    for (const resource of ["direct:one", "direct:one:pair-2", "nat-instance:one"]) {
      steps.end(resource, "settled");
    }
    expect(steps.results("a-stack", "1", "interrupted").notes).toContain(
      "The run ended with 1 of 4 measured: interrupted",
    );
  });
});

describe("hosts of a run that broke off", () => {
  it.each(["azure", "aws", "local"] as const)("have the names that components of %s give them", (cloud) => {
    expect(pairNames(cloud, "nat", "nat-instance")).toEqual([
      ["nat-client", "server"],
      ["nat-client-2", "server-2"],
    ]);
  });

  it("are named after their path if it has its own server", () => {
    expect(pairNames("azure", "vpn", "vpn-gateway")).toEqual([
      ["vpn-client", "vpn-server"],
      ["vpn-client-2", "vpn-server-2"],
    ]);
  });
});
