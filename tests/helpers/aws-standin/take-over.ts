/**
 * Applies the calls of a take-over to EC2's state, behind Pulumi's back.
 *
 * Sources: the EC2 API reference of AssignPrivateIpAddresses, AssociateAddress and ReplaceRoute. An Elastic IP that is
 * associated again gets another association id: terraform-provider-aws reads that as "not found, removing from state". The
 * reference does not say whether the id stays when the private address moves: tests try both.
 */
import type { Properties } from "../../../tools/command-standin/shared/envelopes.ts";
import type { Ec2Resource, Ec2State } from "./fake-ec2.ts";

export interface TakeOver {
  readonly pair: string;
  readonly to: 1 | 2;
  /** Whether the machines are in two subnets, where only the Elastic IP moves. */
  readonly apart: boolean;
  /** Whether the Elastic IP's association keeps its id. */
  readonly keepsAssociation: boolean;
  /** Name of the moving Elastic IP. @default the pair's own */
  readonly address?: string;
}

/** Moves the pair's shared address and its routes, like the machine that takes over. */
export function takeOver(state: Ec2State, { pair, to, apart, keepsAssociation, address }: TakeOver): void {
  const [target, other] = [to, 3 - to].map((number) => named(state, `${pair}-nat-${number}-eni`)) as [
    Ec2Resource,
    Ec2Resource,
  ];
  const shared = named(state, address ?? `${pair}-eip-1`);
  const association = associationOf(state, shared.id);
  const privateIpAddress = apart
    ? secondary(target)
    : String(association?.inputs.privateIpAddress ?? secondary(other));
  if (!apart) {
    movePrivateAddress(state, privateIpAddress, other, target);
  }
  const place = { allocationId: shared.id, networkInterfaceId: target.id, privateIpAddress };
  // Flags of the call, which the provider keeps.
  const inputs: Properties = { ...association?.inputs, ...place };
  if (association !== undefined) {
    delete state.resources[association.id];
  }
  const id =
    keepsAssociation && association !== undefined
      ? association.id
      : `eipassoc-${(++state.made).toString(16).padStart(17, "0")}`;
  put(state, { id, kind: "EipAssociation", inputs, outputs: { ...inputs, id } });
  for (const route of Object.values(state.resources)) {
    if (route.kind === "Route" && route.inputs.networkInterfaceId === other.id) {
      const led = { ...route.inputs, networkInterfaceId: target.id };
      put(state, { ...route, inputs: led, outputs: { ...led, id: route.id } });
    }
  }
}

/** Targets of the shared address and the routes: numbers of the interfaces, each once. */
export function activeMachines(
  state: Ec2State,
  pair: string,
  address = `${pair}-eip-1`,
): { address: number[]; routes: number[] } {
  const numberOf = (id: unknown) =>
    [1, 2].find((number) => named(state, `${pair}-nat-${number}-eni`).id === id) ?? 0;
  const association = associationOf(state, named(state, address).id);
  const routes = Object.values(state.resources).flatMap(({ kind, inputs }) =>
    kind === "Route" && inputs.networkInterfaceId !== undefined ? [numberOf(inputs.networkInterfaceId)] : [],
  );
  return {
    address: association === undefined ? [] : [numberOf(association.inputs.networkInterfaceId)],
    routes: [...new Set(routes)],
  };
}

function movePrivateAddress(state: Ec2State, address: string, from: Ec2Resource, to: Ec2Resource): void {
  const holds = (one: Ec2Resource, addresses: string[]) =>
    put(state, {
      ...one,
      // The provider reads the number of secondary addresses.
      inputs: { ...one.inputs, privateIpsCount: addresses.length - 1 },
      outputs: { ...one.outputs, privateIps: addresses },
    });
  holds(
    from,
    privateIps(from).filter((one) => one !== address),
  );
  holds(to, [...privateIps(to).filter((one) => one !== address), address]);
}

function privateIps({ outputs }: Ec2Resource): string[] {
  return outputs.privateIps as string[];
}

function secondary(eni: Ec2Resource): string {
  return privateIps(eni).find((one) => one !== eni.outputs.privateIp) as string;
}

function associationOf(state: Ec2State, allocationId: string): Ec2Resource | undefined {
  return Object.values(state.resources).find(
    ({ kind, inputs }) => kind === "EipAssociation" && inputs.allocationId === allocationId,
  );
}

function put(state: Ec2State, resource: Ec2Resource): void {
  state.resources[resource.id] = resource;
}

function named(state: Ec2State, name: string): Ec2Resource {
  const found = Object.values(state.resources).find(
    ({ inputs }) => (inputs.tags as Properties | undefined)?.Name === name,
  );
  if (found === undefined) {
    throw new Error(`the cloud has no ${name}`);
  }
  return found;
}
