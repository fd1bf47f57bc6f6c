/** A NAT instance's figures in CloudWatch: the publishing program and its permission. */
import { invalid } from "../../shared/arguments.ts";
import { program, textOf } from "../../shared/shell.ts";
import type { Statement } from "../machine-role.ts";
import type { CloudWatchArgs } from "../nat-args.ts";
import { signedRequests } from "../signed-requests.ts";

const DEFAULT_NAMESPACE = "EgressBench/NatInstance";

/** The namespace, checked. @throws {pulumi.InputPropertyError} for one that CloudWatch does not take. */
export function namespaceOf(cloudWatch: true | CloudWatchArgs): string {
  const { namespace = DEFAULT_NAMESPACE } = cloudWatch === true ? {} : cloudWatch;
  if (!/^[A-Za-z0-9._/#-]{1,255}$/.test(namespace) || /^AWS\//i.test(namespace)) {
    throw invalid(
      "cloudWatch.namespace",
      `got "${namespace}"; expected up to 255 letters, digits and . _ / # -, not beginning with AWS/`,
    );
  }
  return namespace;
}

/** Permission to publish into that namespace, and nothing else. */
export function publishingStatement(namespace: string): Statement {
  return {
    Action: "cloudwatch:PutMetricData",
    // PutMetricData takes no resources.
    Resource: "*",
    Condition: { StringEquals: { "cloudwatch:namespace": namespace } },
  };
}

/**
 * A program that publishes the machine's metrics file, under the names of NAT gateways' metrics where both have the figure.
 * Counters are published as increases since the last time, and not at all after a boot reset them.
 * @param machine Value of the one dimension, `NatInstance`.
 */
export function cloudWatchPublisher(namespace: string, machine: string): string {
  return program("Publishes a NAT instance's figures to CloudWatch.", { namespace, machine }, [
    signedRequests,
    textOf("./cloudwatch.sh", import.meta.url),
  ]);
}
