/**
 * Size of a lab of three hosts in the state: its hosts, a further client, and cases of 10 s; and of a further client and
 * server in a cloud.
 * @module
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { createAwsEngine } from "../helpers/aws-standin/engine.ts";
import { plan } from "./lab.ts";

const CASES = 4;
const CLIENT = /::nat-instance-client(-|$)/;
const CASE = /::nat-instance:tcp-/;
const STACK = /::pulumi:pulumi:Stack::/;

interface Stored {
  readonly urn: string;
  readonly type: string;
}

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
const bytesOf = (resources: readonly Stored[]) =>
  resources.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);

async function resourcesOf(stack: Stack): Promise<Stored[]> {
  const { deployment } = await stack.exportStack();
  return (deployment as { resources: Stored[] }).resources;
}

/** Kilobytes of resources by owner. */
export async function stateSizes(stack: Stack): Promise<string[]> {
  const cases = Array.from({ length: CASES }, (_, index) => ({
    id: `tcp-${index}`,
    tool: "iperf3",
    durationSeconds: 10,
  }));
  await plan(stack, { name: "state", cases });
  await stack.up({ color: "never" });
  const resources = await resourcesOf(stack);
  const weigh = (kind: (urn: string) => boolean) => bytesOf(resources.filter(({ urn }) => kind(urn)));
  const hosts = weigh((urn) => !CASE.test(urn) && !STACK.test(urn));
  return [
    `three hosts: ${kilobytes(hosts)} KB in ${resources.length - CASES - 1} resources; goal 100 KB`,
    `of them a client: ${kilobytes(weigh((urn) => CLIENT.test(urn)))} KB in ${resources.filter(({ urn }) => CLIENT.test(urn)).length} resources; goal 8 KB`,
    `a case of 10 s: ${kilobytes(weigh((urn) => CASE.test(urn)) / CASES)} KB, and ${kilobytes(weigh((urn) => STACK.test(urn)) / CASES)} KB of the output \`results\`, written once; goal 6 KB`,
    await furtherPair(),
  ];
}

/** A further client and server in AWS, with one case. EC2's answers are the stand-in's, and shorter than AWS's. */
async function furtherPair(): Promise<string> {
  const engine = createAwsEngine();
  try {
    const config = (pairs: number) => ({
      "egress-bench:topologies": ["nat-gateway"],
      "egress-bench:pairs": pairs,
      "egress-bench:plan": { cases: [{ id: "tcp", tool: "iperf3", durationSeconds: 10 }] },
    });
    const stack = await engine.wholeStack("aws-compare", config(1));
    await stack.up({ color: "never" });
    const one = await resourcesOf(stack);
    engine.configure("aws-compare", config(2));
    await stack.up({ color: "never" });
    const before = new Set(one.map(({ urn }) => urn));
    const added = (await resourcesOf(stack)).filter(({ urn }) => !before.has(urn));
    const agents = added.filter(({ urn }) => /::[^:]*-agent(-files)?$/.test(urn));
    const ours = added.filter(({ type }) => !type.startsWith("aws:"));
    const text = (all: readonly Stored[]) => `${kilobytes(bytesOf(all))} KB in ${all.length} resources`;
    return `a further client and server in AWS: ${text(added)}; of them not EC2's own ${text(ours)}, the two agents ${text(agents)}; goal 8 KB a host`;
  } finally {
    engine.dispose();
  }
}
