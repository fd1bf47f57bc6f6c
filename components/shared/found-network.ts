/** Chooses a NAT machine's subnet and its clients' among the subnets of a network that exists. */
import type * as pulumi from "@pulumi/pulumi";
import { invalid } from "./arguments.ts";

export interface FoundSubnet {
  readonly id: string;
  readonly cidrs: readonly string[];
  readonly routeTableId: string | undefined;
  readonly use: "machine" | "clients" | undefined;
}

/** Arguments of a NAT instance that the subnets decide. */
export interface FoundSubnets {
  readonly subnetId: string;
  readonly privateRouteTableIds: string[];
  readonly privateCidrs: string[];
}

/** A component's options for its look-ups, which take one provider and no list. @param isOwn Whether a provider is the cloud's. */
export function lookUpOptions(
  { parent, provider, providers = [] }: pulumi.ComponentResourceOptions,
  isOwn: (one: unknown) => boolean,
): pulumi.InvokeOptions {
  const own = provider ?? Object.values(providers).find(isOwn);
  return { ...(parent && { parent }), ...(own && { provider: own }) };
}

/**
 * The first subnet for a machine, and each subnet for clients with its table, once.
 *
 * @param argument Argument that names the network, and its value.
 * @param lacks Words for a network without a subnet of that use: "has no subnet ...".
 * @throws {pulumi.InputPropertyError} for such a network.
 */
export function chooseSubnets(
  [argument, network]: readonly [argument: string, network: string],
  subnets: readonly FoundSubnet[],
  lacks: Readonly<Record<"machine" | "clients", string>>,
): FoundSubnets {
  const clients = subnets.filter(({ use }) => use === "clients");
  const machine = subnets.find(({ use }) => use === "machine");
  if (machine === undefined || clients.length === 0) {
    const missing = lacks[machine === undefined ? "machine" : "clients"];
    throw invalid(argument, `${network} has no subnet ${missing}; give the ids to NatInstance itself`);
  }
  return {
    subnetId: machine.id,
    privateRouteTableIds: [...new Set(clients.flatMap(({ routeTableId }) => routeTableId ?? []))],
    privateCidrs: clients.flatMap(({ cidrs }) => cidrs),
  };
}
