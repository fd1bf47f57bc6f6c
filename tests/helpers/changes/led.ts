/**
 * Checks that clients' routes lead to existing targets: neither cloud refuses to delete a route's target.
 *
 * @module
 */
import type { Ec2State } from "../aws-standin/fake-ec2.ts";
import { type ArmState, FakeArm } from "../azure-native-standin/fake-arm.ts";

/** @throws {Error} for a route to a deleted interface or gateway. @param pairs Names of pairs, whose machines move their routes themselves. */
export function assertAwsLed({ resources, requests }: Ec2State, pairs: readonly string[]): void {
  const nameOf = new Map(requests.map(({ id, name }) => [id, name]));
  for (const { id, kind, inputs } of Object.values(resources)) {
    const target = inputs.networkInterfaceId ?? inputs.natGatewayId;
    const name = nameOf.get(id) ?? "";
    const isPair = pairs.some((pair) => name.startsWith(`${pair}-`));
    if (kind === "Route" && typeof target === "string" && resources[target] === undefined && !isPair) {
      throw new Error(`route ${name} leads to ${target}, which is gone`);
    }
  }
}

/** @throws {Error} for a next hop that is not a private address of an interface, a load balancer or a firewall. */
export function assertAzureLed(state: ArmState): void {
  const arm = new FakeArm(state);
  const all = Object.values(state.resources);
  const there = all
    .filter(({ type }) => /:(NetworkInterface|LoadBalancer|AzureFirewall)$/.test(type))
    .flatMap(({ id }) => JSON.stringify(arm.outputs(id)).match(/(?<="privateIPAddress":")[^"]+/g) ?? []);
  for (const { id, inputs } of all.filter(({ type }) => type.endsWith(":RouteTable"))) {
    for (const { nextHopIpAddress } of (inputs.routes ?? []) as { nextHopIpAddress?: string }[]) {
      if (nextHopIpAddress !== undefined && !there.includes(nextHopIpAddress)) {
        throw new Error(`${id} leads to ${nextHopIpAddress}, which is nobody's`);
      }
    }
  }
}
