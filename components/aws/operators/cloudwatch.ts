/** A NAT instance's figures in CloudWatch: what is published, and the leave for it. */
import { invalid } from "../../shared/arguments.ts";
import { program, textOf } from "../../shared/shell.ts";
import type { Statement } from "../machine-role.ts";
import type { CloudWatchArgs } from "../nat-args.ts";
import { signedRequests } from "../signed-requests.ts";

const DEFAULT_NAMESPACE = "EgressBench/NatInstance";

/** @throws {pulumi.InputPropertyError} for a namespace that CloudWatch does not take */
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

/** To publish into that namespace, and nothing else. */
export function publishingStatement(namespace: string): Statement {
  return {
    Action: "cloudwatch:PutMetricData",
    // It knows no resources.
    Resource: "*",
    Condition: { StringEquals: { "cloudwatch:namespace": namespace } },
  };
}

/**
 * A program that publishes what the machine's metrics file holds: names as those of NAT gateways where both have the
 * figure. Of what counts up, the increase since the last time, and nothing where a boot has begun it anew.
 *
 * @param machine Value of the one dimension, `NatInstance`.
 * @param requests Shell that defines `aws_request`. @default its text
 */
export function cloudWatchPublisher(namespace: string, machine: string, requests = signedRequests): string {
  return program("Publishes a NAT instance's figures to CloudWatch.", { namespace, machine }, [
    requests,
    textOf("./cloudwatch.sh", import.meta.url),
  ]);
}
