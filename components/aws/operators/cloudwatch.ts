/** A NAT instance's figures in CloudWatch: what is published, and the leave for it. */
import { invalid } from "../../shared/arguments.ts";
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
  return `#!/bin/sh
# Publishes a NAT instance's figures to CloudWatch. Written by egress-bench.
last=/run/egress-bench-published
${requests}
# Over interfaces and directions.
now=$(awk '{ sub(/\\{.*/, "", $1); sub(/^egress_bench_nat_/, "", $1); sub(/.*allowance_exceeded/, "exceeded", $1); n[$1] += $2 }
  END { for (k in n) printf "%s %.0f\\n", k, n[k] }' "$1")
value() { printf '%s\\n' "$now" | sed -n "s/^$1 //p"; }
increase() {
  before=$(sed -n "s/^$1 //p" "$last" 2>/dev/null)
  [ -z "$before" ] || [ "$(value "$1")" -lt "$before" ] || echo $(($(value "$1") - before))
}

count=0 figures=
# metric NAME UNIT VALUE: none without a value.
metric() {
  [ -n "$3" ] || return 0
  count=$((count + 1))
  of=MetricData.member.$count
  figures="$figures $of.MetricName=$1 $of.Unit=$2 $of.Value=$3"
  figures="$figures $of.Dimensions.member.1.Name=NatInstance $of.Dimensions.member.1.Value=${machine}"
}
metric ActiveConnectionCount Count "$(value conntrack_entries)"
metric ConnectionTableUsed Percent "$(($(value conntrack_entries) * 100 / $(value conntrack_limit)))"
metric ErrorPortAllocation Count "$(increase conntrack_insert_failed_total)"
metric ConnectionsDropped Count "$(increase conntrack_no_room_total)"
metric PacketsDropCount Count "$(increase dropped_total)"
metric Packets Count "$(increase packets_total)"
metric Bytes Bytes "$(increase bytes_total)"
metric Active Count "$(value active)"
metric AllowanceExceeded Count "$(increase exceeded)"
metric ConntrackAllowanceAvailable Count "$(value conntrack_allowance_available)"
metric Ready Count "$(value ready)"
[ -z "$(value active)" ] || {
  metric TakeOvers Count "$(increase takeovers_total)"
  metric SyncErrors Count "$(increase sync_errors_total)"
}
# Not quoted: words of their own.
log_in_to_aws || { echo "no role to publish with"; exit 1; }
said=$(aws_request monitoring 2010-08-01 PutMetricData Namespace=${namespace} $figures)
[ "$(printf '%s' "$said" | tail -n 1)" = 200 ] || { printf '%s' "$said" | tr '\\n' ' '; exit 1; }
printf '%s\\n' "$now" > "$last"
`;
}
