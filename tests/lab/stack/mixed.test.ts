/**
 * A client that the program makes behind a NAT instance, and an existing server: the block of docs/hosts.md, with the lab's
 * classes. Another host of the lab, known only by its login, stands for the existing machine.
 */
import { expect, onTestFinished, test } from "vitest";
import { openLabStack } from "../../helpers/lab-stack.ts";

const program = `
import * as pulumi from "@pulumi/pulumi";
import { BenchmarkRun, ExistingHost, SshKeyPair } from "egress-bench";
import { parsePlan } from "egress-bench/bench";
import { BenchPair, benchServer, NatInstance } from "egress-bench/local";

const lab = { name: pulumi.getStack(), operatorKey: new SshKeyPair("operator") };
const office = benchServer("office", lab);
const egress = new NatInstance("nat", { server: office, index: 1 });
const pair = new BenchPair("pair", { server: office, egress });

const { host, port, user, hostKey } = pulumi.output(office.connection);
const server = new ExistingHost("server", {
  role: "server",
  address: host,
  port: port.apply((known) => known ?? 22),
  user: user.apply((known) => known ?? "root"),
  hostKey: hostKey.apply((known) => known ?? ""),
  privateKey: lab.operatorKey.privateKey,
  dataAddress: office.dataAddress,
  owner: "mine 1",
});
export const { results } = new BenchmarkRun("benchmark", {
  stack: pulumi.getStack(),
  cloud: "local",
  runId: "1",
  plan: parsePlan({ cases: [{ id: "tcp", tool: "iperf3", bitrate: "20M", durationSeconds: 1 }] }),
  deployment: { server, paths: [{ ...pair.path, serverAddress: server.dataAddress }], notes: [] },
  secret: lab.operatorKey.privateKey,
});
`;

test("the path is proved and measured, and the agent leaves the existing server", async () => {
  const stack = await openLabStack({}, { program });
  onTestFinished(() => stack.dispose());
  const { results } = await stack.up();
  expect(results.cases.map(({ id, failure }) => [id, failure])).toEqual([["tcp", null]]);
  expect(results.topologies[0]!.path).toMatchObject({
    status: "proved",
    sourceIps: [expect.stringMatching(/^198\./)],
  });
  expect(results.server!.notes).toEqual([]);
  const files = "ls -A /root | grep egress-bench || :";
  expect(stack.onHost("office", files)).toContain(".egress-bench-agent.pyz");
  await stack.stack.destroy({ color: "never", target: ["**server-visit"], targetDependents: true });
  expect(stack.onHost("office", files)).toBe("");
});
