/**
 * How clients' subnets reach the internet at a moment. The first of these that there is takes everything: a route to an appliance, the
 * subnet's NAT gateway, a machine's public address, a load balancer's outbound rule, default outbound access.
 * Source: learn.microsoft.com/azure/nat-gateway/nat-overview, "Outbound connectivity"; an appliance in another network is not known.
 */
import type { FakeArm } from "./fake-arm.ts";
import { listOf, outboundPools } from "./outbound-ports.ts";

type Properties = Readonly<Record<string, unknown>>;

const idOf = (value: unknown) => String((value as Properties | undefined)?.id ?? "");
const networkOf = (subnetId: string) => subnetId.split("/subnets/")[0];

/** Names of the clients' subnets whose way out leads nowhere: to no machine, to one without a public address, or to a pool without one. */
export function cutSubnets(arm: FakeArm): string[] {
  const known = arm.state.resources;
  const all = Object.values(known);
  const ofType = (name: string) => all.filter(({ type }) => type.endsWith(`:${name}`));
  const pools = outboundPools(known);
  const started = ofType("VirtualMachine").flatMap(({ inputs }) =>
    listOf((inputs.networkProfile as Properties).networkInterfaces).map(idOf),
  );
  const ends = ofType("NetworkInterface").flatMap(({ id, inputs }) =>
    arm.withPrivateAddresses(id, inputs.ipConfigurations).map((end) => {
      const ofEnd = listOf(end.loadBalancerBackendAddressPools).map(idOf);
      return {
        ...{ subnet: idOf(end.subnet), address: end.privateIPAddress, pools: ofEnd },
        forwards: inputs.enableIPForwarding === true && started.includes(id),
        leadsOut: end.publicIPAddress !== undefined || ofEnd.some((pool) => pools.includes(pool)),
      };
    }),
  );
  const fronts = [...ofType("LoadBalancer"), ...ofType("AzureFirewall")].flatMap(({ id, inputs }) =>
    arm
      .withPrivateAddresses(id, inputs.frontendIPConfigurations ?? inputs.ipConfigurations)
      .map((end) => ({ id, subnet: idOf(end.subnet), address: end.privateIPAddress })),
  );
  const hopOf = ({ routeTable }: Properties) => {
    const table = idOf(routeTable);
    const routes = ofType("Route").filter(({ id }) => id.startsWith(`${table}/`));
    return [...listOf(known[table]?.inputs.routes), ...routes.map(({ inputs }) => inputs)].find(
      ({ addressPrefix }) => addressPrefix === "0.0.0.0/0",
    )?.nextHopIpAddress;
  };
  const byItself = (subnet: string, own: typeof ends) => {
    const { natGateway, defaultOutboundAccess } = known[subnet]?.inputs ?? {};
    const { publicIpAddresses, publicIpPrefixes } = known[idOf(natGateway)]?.inputs ?? {};
    return natGateway === undefined
      ? defaultOutboundAccess === true || own.some(({ leadsOut }) => leadsOut)
      : [...listOf(publicIpAddresses), ...listOf(publicIpPrefixes)].length > 0;
  };
  const byAppliance = (hop: unknown, subnet: string) => {
    const isHop = (one: { readonly address?: unknown; readonly subnet: string }) =>
      one.address === hop && networkOf(one.subnet) === networkOf(subnet);
    const front = fronts.find(isHop)?.id;
    const carriers = ends.filter(
      (end) => isHop(end) || end.pools.some((pool) => pool.startsWith(`${front}/`)),
    );
    return (
      front?.includes("/azureFirewalls/") ||
      carriers.some(
        (end) =>
          end.forwards && hopOf(known[end.subnet]?.inputs ?? {}) === undefined && byItself(end.subnet, [end]),
      )
    );
  };
  return ofType("Subnet")
    .filter(({ id, inputs }) => {
      const own = ends.filter(({ subnet }) => subnet === id);
      const hop = hopOf(inputs);
      const isUsed = own.length > 0 || inputs.routeTable !== undefined || inputs.natGateway !== undefined;
      return isUsed && !(hop === undefined ? byItself(id, own) : byAppliance(hop, id));
    })
    .map(({ id }) => id.split("/").at(-1) as string)
    .filter((name) => name.includes("client"));
}
