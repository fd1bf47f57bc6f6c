/** A NAT instance's heartbeat: whether it forwards and will go on doing so, as a metric of CloudWatch. */
import { forwardingCheck, LEAVING_FILE } from "../nat-instance/index.ts";
import { signedRequests } from "./signed-requests.ts";

/** Its metric: 1 or 0. */
export const BEAT_METRIC = "Forwarding";

/** The metric's one dimension, the interface's id: names of two stacks may be the same. */
export const BEAT_DIMENSION = "NetworkInterface";

/**
 * Shell program that publishes one beat. What it connects to through its own forwarding is what it publishes to: a 0 that
 * arrives says that forwarding is at fault, and not the address outside.
 *
 * @param namespace Of CloudWatch.
 */
export function heartbeat(namespace: string): string {
  const of = "MetricData.member.1";
  return `#!/bin/sh
# Says to CloudWatch whether this NAT instance forwards and will go on doing so. Written by egress-bench.
[ "\${1-}" != leave ] || : > ${LEAVING_FILE}
${signedRequests}
log_in_to_aws || { echo "no role to publish with"; exit 1; }
endpoint=monitoring.$region.$domain

forwards() (
${forwardingCheck({ address: '"$endpoint"', port: 443 })})

# Its system goes down, its Auto Scaling group ends it, or EC2 takes a spot instance back.
leaving() {
  [ ! -e ${LEAVING_FILE} ] || return 0
  case $(metadata meta-data/autoscaling/target-lifecycle-state) in Terminated|Detached|Standby) return 0 ;; esac
  metadata meta-data/spot/instance-action >/dev/null
}

mac=$(metadata meta-data/mac)
interface=$(metadata "meta-data/network/interfaces/macs/$mac/interface-id") || { echo "the interface has no id"; exit 1; }
state=1
# All sessions end when clients are led elsewhere, so one lost packet is not enough.
leaving && state=0 || forwards || { sleep 1; forwards; } || { sleep 1; forwards; } || state=0
said=$(aws_request monitoring 2010-08-01 PutMetricData Namespace=${namespace} \\
  ${of}.MetricName=${BEAT_METRIC} ${of}.Value=$state ${of}.StorageResolution=1 \\
  ${of}.Dimensions.member.1.Name=${BEAT_DIMENSION} ${of}.Dimensions.member.1.Value="$interface")
[ "$(printf '%s' "$said" | tail -n 1)" = 200 ] || { printf '%s' "$said" | tr '\\n' ' '; exit 1; }
`;
}
