/** Azure's refusals of machines and their interfaces, when created and when changed while running. */
import type { ArmResource } from "./fake-arm.ts";

type Properties = Readonly<Record<string, unknown>>;
type Known = Readonly<Record<string, ArmResource>>;

/** Facts that decide whether a machine can change from one size to another. */
interface SizeFacts {
  readonly accelerated: boolean;
  readonly temporaryDisk: boolean;
  readonly controllers: readonly ("SCSI" | "NVMe")[];
}

/**
 * Sizes used in tests, written independently of the program's own table, so that each checks the other.
 * Source: the sizes' pages below learn.microsoft.com/azure/virtual-machines/sizes, read on 2026-11-23.
 */
const sizes: Readonly<Record<string, SizeFacts>> = {
  Standard_B1s: { accelerated: false, temporaryDisk: true, controllers: ["SCSI"] },
  Standard_B2s: { accelerated: false, temporaryDisk: true, controllers: ["SCSI"] },
  Standard_B2ats_v2: { accelerated: true, temporaryDisk: false, controllers: ["SCSI"] },
  Standard_D2s_v3: { accelerated: false, temporaryDisk: true, controllers: ["SCSI"] },
  Standard_D2ls_v5: { accelerated: true, temporaryDisk: false, controllers: ["SCSI"] },
  Standard_D4ls_v5: { accelerated: true, temporaryDisk: false, controllers: ["SCSI"] },
  Standard_D8ls_v5: { accelerated: true, temporaryDisk: false, controllers: ["SCSI"] },
  Standard_D2lds_v5: { accelerated: true, temporaryDisk: true, controllers: ["SCSI"] },
  Standard_D4ls_v6: { accelerated: true, temporaryDisk: false, controllers: ["NVMe"] },
  Standard_D2ls_v6: { accelerated: true, temporaryDisk: false, controllers: ["NVMe"] },
};

/** Why a machine cannot have these inputs, or not change to them. */
export function machineRefusals(id: string, inputs: Properties, known: Known): string[] {
  const size = sizeOf(inputs);
  const before = known[id] && sizeOf(known[id].inputs);
  const interfaces = (inputs.networkProfile as { networkInterfaces: { id: string }[] }).networkInterfaces;
  const accelerated = interfaces.filter(
    ({ id: nic }) => known[nic]?.inputs.enableAcceleratedNetworking === true,
  );
  return [
    ...(accelerated.length > 0 && sizes[size]?.accelerated === false
      ? [`VMSizeIsNotPermittedToEnableAcceleratedNetworking: ${size}`]
      : []),
    ...(before === undefined ? [] : resizeRefusals(before, size)),
  ];
}

function resizeRefusals(before: string, size: string): string[] {
  const [from, to] = [sizes[before], sizes[size]];
  if (before === size) {
    return [];
  }
  if (from === undefined || to === undefined) {
    return [`the stand-in knows no facts of ${from === undefined ? before : size}; write down its page's`];
  }
  return [
    ...(from.temporaryDisk === to.temporaryDisk
      ? []
      : [`OperationNotAllowed: ${before} and ${size} differ in their temporary disk`]),
    ...(from.controllers.some((one) => to.controllers.includes(one))
      ? []
      : [`InvalidParameter: ${before} and ${size} have no disk controller in common`]),
  ];
}

/** Why an interface cannot be in its pools: they must belong to one internal load balancer in its own network. */
function poolRefusals(id: string, inputs: Properties, known: Known): string[] {
  const ends = inputs.ipConfigurations as readonly Properties[];
  const idsOf = (value: unknown) =>
    [value ?? []].flat().map((one) => String((one as { readonly id?: string }).id));
  const balancers = ends.flatMap((end) =>
    idsOf(end.loadBalancerBackendAddressPools).map((pool) => pool.split("/backendAddressPools/")[0] ?? ""),
  );
  const frontends = (balancer: string) =>
    (known[balancer]?.inputs.frontendIPConfigurations ?? []) as readonly Properties[];
  const inside = [...new Set(balancers)].filter((one) =>
    frontends(one).some(({ subnet }) => subnet !== undefined),
  );
  const network = (subnet: unknown) => idsOf(subnet)[0]?.split("/subnets/")[0];
  const elsewhere = inside.filter((one) =>
    frontends(one).some(({ subnet }) => network(subnet) !== network(ends[0]?.subnet)),
  );
  return [
    ...(inside.length > 1
      ? [`NetworkInterfaceUsesMultipleLoadBalancersOfSameType: ${id} in ${inside.join(", ")}`]
      : []),
    ...elsewhere.map((one) => `${id} is in another virtual network than ${one}`),
  ];
}

/**
 * Why an interface cannot join its application security groups: all members of one are in one virtual network. Source:
 * learn.microsoft.com/azure/virtual-network/application-security-groups, "constraints".
 */
function groupRefusals(id: string, inputs: Properties, known: Known): string[] {
  const places = (all: Properties) =>
    ((all.ipConfigurations ?? []) as readonly Properties[]).flatMap((one) =>
      ((one.applicationSecurityGroups ?? []) as readonly Properties[]).map((group) => ({
        group: String(group.id),
        network: String((one.subnet as Properties).id).split("/subnets/")[0],
      })),
    );
  const others = Object.values(known).filter((other) => other.id !== id);
  const members = others.flatMap((other) => places(other.inputs));
  return places(inputs)
    .filter(({ group, network }) =>
      members.some((other) => other.group === group && other.network !== network),
    )
    .map(({ group }) => `${id} is in another virtual network than the members of ${group}`);
}

/** Why an interface cannot have these inputs: accelerated networking cannot change while its machine runs. */
export function interfaceRefusals(id: string, inputs: Properties, known: Known): string[] {
  const before = known[id];
  const holder = Object.values(known).find(
    ({ type, body }) => type.endsWith(":VirtualMachine") && JSON.stringify(body).includes(`"${id}"`),
  );
  const changes =
    before !== undefined && before.inputs.enableAcceleratedNetworking !== inputs.enableAcceleratedNetworking;
  return [
    ...(holder !== undefined && changes
      ? [`accelerated networking of ${id} cannot change while ${holder.id} runs with it`]
      : []),
    ...poolRefusals(id, inputs, known),
    ...groupRefusals(id, inputs, known),
    ...privateAddressRefusals(id, inputs, known),
  ];
}

/** A private address belongs to one interface. Addresses chosen by Azure are not checked. */
function privateAddressRefusals(id: string, inputs: Properties, known: Known): string[] {
  const addressesOf = (all: Properties) =>
    ((all.ipConfigurations ?? []) as readonly Properties[])
      .filter(({ privateIPAddress }) => privateIPAddress !== undefined)
      .map((one) => `${String((one.subnet as Properties | undefined)?.id)} ${String(one.privateIPAddress)}`);
  const mine = addressesOf(inputs);
  return Object.values(known).flatMap((other) =>
    other.id === id
      ? []
      : addressesOf(other.inputs)
          .filter((one) => mine.includes(one))
          .map((one) => `PrivateIPAddressInUse: ${one} is ${other.id}'s`),
  );
}

function sizeOf(inputs: Properties): string {
  return String((inputs.hardwareProfile as Properties).vmSize);
}
