/** A NAT instance's heartbeat: whether it forwards and will keep forwarding, as a metric of CloudWatch. */
import { LEAVING_FILE } from "../nat-instance/index.ts";
import { program, textOf } from "../shared/shell.ts";
import { signedRequests } from "./signed-requests.ts";

/** The heartbeat's metric: 1 or 0. */
export const BEAT_METRIC = "Forwarding";

/** The metric's one dimension, the interface's id: two stacks may share names. */
export const BEAT_DIMENSION = "NetworkInterface";

/** Shell program that publishes one beat. @param namespace CloudWatch's namespace. */
export function heartbeat(namespace: string): string {
  const settings = { leaving_file: LEAVING_FILE, namespace, metric: BEAT_METRIC, dimension: BEAT_DIMENSION };
  return program("Tells CloudWatch whether this NAT instance forwards.", settings, [
    signedRequests,
    textOf("./heartbeat.sh", import.meta.url),
  ]);
}
