/** Clients' ways out at a moment: what a private route leads to. */
import { publicAddress } from "./fake-addresses.ts";
import type { Ec2State } from "./fake-ec2.ts";

/**
 * Names of the private routes that lead nowhere: to a gateway or an interface that is gone, to no machine, or to one without a
 * public address.
 */
export function cutRoutes({ resources, requests }: Ec2State): string[] {
  const all = Object.values(resources);
  const machines = all.filter(
    ({ kind, inputs }) => kind === "Instance" || (kind === "Group" && inputs.desiredCapacity !== 0),
  );
  const ofMachines = new Set(machines.map(({ outputs }) => outputs.primaryNetworkInterfaceId));
  const withAddress = new Set([
    ...all
      .filter(({ kind }) => kind === "EipAssociation")
      .map(({ inputs }) => inputs.networkInterfaceId ?? null),
    // An Elastic IP replaces the address of the boot for good.
    ...machines
      .filter(({ id, outputs }) => outputs.publicIp === publicAddress(id))
      .map(({ outputs }) => outputs.primaryNetworkInterfaceId ?? null),
  ]);
  const leadsOut = (id: string) => {
    const { networkInterfaceId: own, natGatewayId: gateway } = resources[id]?.inputs ?? {};
    const toMachine = own === undefined || (ofMachines.has(own) && withAddress.has(own));
    return toMachine && (gateway === undefined || String(gateway) in resources);
  };
  return requests
    .filter(({ action, kind, id }) => action === "create" && kind === "Route" && !leadsOut(id))
    .map(({ name }) => name);
}
