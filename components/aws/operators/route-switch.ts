/**
 * The program of the function that leads private routes to a NAT gateway while a NAT instance does not forward, and back.
 * Python, for the runtime's own boto3: `route_switch.py`. tests/unit/aws/route-switch.test.ts drives it and holds what it
 * shares with this file and the machine's heartbeat.
 */
import { readFileSync } from "node:fs";
import { BEAT_SECONDS } from "../../nat-instance/index.ts";

/** The function's parameters: JSON in its environment. */
export interface SwitchSettings {
  readonly namespace: string;
  readonly networkInterfaceId: string;
  readonly natGatewayId: string;
  readonly routeTableIds: readonly string[];
}

/** Looks per call, a beat apart. The function is called each minute. */
export const SWITCH_LOOKS = 4;

/** Timeout of a call in seconds: its looks, plus 30 s for a slow API. */
export const SWITCH_TIMEOUT_SECONDS = SWITCH_LOOKS * BEAT_SECONDS + 30;

/** Key in Pulumi's events that names the current operation: create, update or delete. */
export const LIFECYCLE_KEY = "lifecycle";

/** Lambda's handler: file and function. */
export const SWITCH_HANDLER = "route_switch.handler";

/** Text of the file of {@link SWITCH_HANDLER}. */
export function routeSwitch(): string {
  return readFileSync(new URL("./route_switch.py", import.meta.url), "utf8");
}
