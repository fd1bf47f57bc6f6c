/**
 * What a lab of three hosts weighs in the state: its hosts, a further client, and cases of 10 s.
 *
 * @module
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { plan } from "./lab.ts";

const CASES = 4;
const CLIENT = /::nat-instance-client(-|$)/;
const CASE = /::nat-instance:tcp-/;
const STACK = /::pulumi:pulumi:Stack::/;

/** Kilobytes of resources by what they belong to. */
export async function stateSizes(stack: Stack): Promise<string[]> {
  const cases = Array.from({ length: CASES }, (_, index) => ({
    id: `tcp-${index}`,
    tool: "iperf3",
    durationSeconds: 10,
  }));
  await plan(stack, { name: "state", cases });
  await stack.up({ color: "never" });
  const { deployment } = await stack.exportStack();
  const { resources } = deployment as { resources: { urn: string }[] };
  const weigh = (kind: (urn: string) => boolean) =>
    resources
      .filter(({ urn }) => kind(urn))
      .reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  const hosts = weigh((urn) => !CASE.test(urn) && !STACK.test(urn));
  return [
    `three hosts: ${kilobytes(hosts)} KB in ${resources.length - CASES - 1} resources; goal 100 KB`,
    `of them a client: ${kilobytes(weigh((urn) => CLIENT.test(urn)))} KB in ${resources.filter(({ urn }) => CLIENT.test(urn)).length} resources; goal 8 KB`,
    `a case of 10 s: ${kilobytes(weigh((urn) => CASE.test(urn)) / CASES)} KB, and ${kilobytes(weigh((urn) => STACK.test(urn)) / CASES)} KB of the output \`results\`, written once; goal 6 KB`,
  ];
}
