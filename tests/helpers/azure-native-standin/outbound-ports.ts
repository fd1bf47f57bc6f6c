/**
 * The budget of SNAT ports of a load balancer's outbound rules.
 * Source: learn.microsoft.com/azure/load-balancer/outbound-rules and troubleshoot-outbound-connection, read on 2026-11-28.
 */
import type { ArmResource } from "./fake-arm.ts";

type Properties = Readonly<Record<string, unknown>>;
type Known = Readonly<Record<string, ArmResource>>;

const PORTS_PER_ADDRESS = 64_000;

export const listOf = (value: unknown) => (value ?? []) as readonly Properties[];

/** Configurations of interfaces in a backend pool. */
export function membersOf(pool: string, known: Known): { readonly id: string }[] {
  return Object.values(known).flatMap(({ id, inputs }) =>
    listOf(inputs.ipConfigurations)
      .filter((end) => listOf(end.loadBalancerBackendAddressPools).some((one) => one.id === pool))
      .map(({ name }) => ({ id: `${id}/ipConfigurations/${String(name)}` })),
  );
}

/** Pools that a load balancer's outbound rules lead out, each with its ports. */
function outboundRules(known: Known) {
  return Object.values(known)
    .filter(({ type }) => type.endsWith(":LoadBalancer"))
    .flatMap(({ id, inputs }) =>
      listOf(inputs.outboundRules).map((rule) => ({
        id,
        pool: String((rule.backendAddressPool as Properties).id).replace("$self", id),
        portsOfEach: Number(rule.allocatedOutboundPorts),
        ports: PORTS_PER_ADDRESS * listOf(rule.frontendIPConfigurations).length,
      })),
    );
}

/** Ids of the pools whose members reach the internet by an outbound rule with an address. */
export function outboundPools(known: Known): string[] {
  return outboundRules(known).flatMap(({ pool, ports }) => (ports > 0 ? [pool] : []));
}

/** Why a load balancer, or an interface that joins one, would need more ports than there are. @param known With the resource itself. */
export function portRefusals(known: Known): string[] {
  return outboundRules(known).flatMap(({ id, pool, portsOfEach, ports }) => {
    const wanted = portsOfEach * membersOf(pool, known).length;
    return wanted > ports
      ? [
          `SpecifiedAllocatedOutboundPortsForOutboundRuleExceedsTotalNumberOfAvailablePorts: ${wanted} of ${ports} of ${id}`,
        ]
      : [];
  });
}
