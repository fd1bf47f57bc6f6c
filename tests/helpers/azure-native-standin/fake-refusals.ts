/** Azure's refusals of bodies that match its schema. */
import { cidrContains } from "../../../components/shared/cidr.ts";
import type { ArmResource } from "./fake-arm.ts";
import { interfaceRefusals, machineRefusals } from "./machine-refusals.ts";
import { listOf, portRefusals } from "./outbound-ports.ts";

type Properties = Readonly<Record<string, unknown>>;
type Known = Readonly<Record<string, ArmResource>>;

/** Some regions without availability zones. Source: learn.microsoft.com/azure/reliability/regions-list */
const withoutZones = [
  ...["ukwest", "westus", "northcentralus", "australiasoutheast", "norwaywest", "swedensouth"],
  "usgovarizona",
];

/** Most addresses of a gateway or an interface. Source: learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits */
const mostAddresses = { NatGateway: 16, LoadBalancer: 600, AzureFirewall: 250, NetworkInterface: 256 };

/** Each prefix counts with all its addresses. */
function budgetRefusals(id: string, type: string, inputs: Properties, known: Known): string[] {
  const most = mostAddresses[type.split(":").at(-1) as keyof typeof mostAddresses];
  const { publicIpAddresses, publicIpPrefixes, frontendIPConfigurations, ipConfigurations } = inputs;
  const single = [publicIpAddresses, frontendIPConfigurations, ipConfigurations].flatMap(listOf);
  const inPrefixes = listOf(publicIpPrefixes).map(
    (prefix) => 2 ** (32 - Number(known[String(prefix.id)]?.inputs.prefixLength)),
  );
  const count = inPrefixes.reduce((sum, one) => sum + one, single.length);
  return count > most ? [`${id} has ${count} addresses, and Azure takes ${most}`] : [];
}

/** Why a resource cannot have these inputs, besides the schema. @param id The resource's id. */
export function refusalsOf(type: string, id: string, inputs: Properties, known: Known): string[] {
  const zoned = [
    ...[...zoneRefusals(inputs), ...standardV2Refusals(inputs)],
    ...budgetRefusals(id, type, inputs, known),
  ];
  const after: Known = { ...known, [id]: { id, type, inputs, body: {}, place: 0 } };
  switch (type) {
    case "azure-native:network:NatGateway":
      return [...zoned, ...gatewayRefusals(inputs, known)];
    case "azure-native:network:NetworkInterface":
      return [...zoned, ...interfaceRefusals(id, inputs, known), ...portRefusals(after)];
    case "azure-native:network:LoadBalancer":
      return [...zoned, ...portRefusals(after)];
    case "azure-native:network:Subnet":
      return subnetRefusals(id, inputs, known);
    case "azure-native:network:VirtualNetwork":
      return spaceRefusals(id, inputs, known);
    case "azure-native:network:NetworkSecurityGroup":
      return ruleRefusals(inputs);
    case "azure-native:network:VirtualNetworkGateway":
      return [
        ...(inputs.gatewayType === "Vpn" ? vpnRefusals(inputs, known) : skuRefusals(inputs, known[id])),
        ...addressRefusals(inputs, known[id]),
      ];
    case "azure-native:compute:AvailabilitySet":
      return [...zoned, ...setRefusals(id, inputs, known)];
    case "azure-native:compute:VirtualMachine":
      return [...zoned, ...proximityRefusals(inputs, known), ...machineRefusals(id, inputs, known)];
    default:
      return zoned;
  }
}

function hasZones(location: unknown): boolean {
  return !withoutZones.includes(programmatic(location));
}

function programmatic(location: unknown): string {
  return String(location).replaceAll(" ", "").toLowerCase();
}

function zoneRefusals({ zones = [], location }: Properties): string[] {
  return (zones as unknown[]).length > 0 && !hasZones(location)
    ? [`LocationNotSupportAvailabilityZones: ${String(location)} has no zones`]
    : [];
}

/** A group contains machines of its own region and of one zone. */
function proximityRefusals(inputs: Properties, known: Known): string[] {
  const of = (one: Properties) => (one.proximityPlacementGroup as Properties | undefined)?.id;
  const group = of(inputs);
  if (group === undefined) {
    return [];
  }
  const others = Object.values(known).filter((one) => of(one.inputs) === group);
  const zone = (one: Properties) => JSON.stringify(one.zones ?? []);
  return [
    ...(known[String(group)]?.inputs.location === inputs.location
      ? []
      : ["the proximity placement group is in another region"]),
    ...(others.some((one) => zone(one.inputs) !== zone(inputs))
      ? ["the proximity placement group has machines of another zone"]
      : []),
  ];
}

/** A set keeps its group while it has a machine. Source: learn.microsoft.com/azure/virtual-machines/co-location */
function setRefusals(id: string, inputs: Properties, known: Known): string[] {
  const groupOf = (one: Properties | undefined) =>
    (one?.proximityPlacementGroup as Properties | undefined)?.id;
  const used = Object.values(known).some(
    (one) => one.id !== id && JSON.stringify(one.body).includes(`"${id}"`),
  );
  return used && groupOf(known[id]?.inputs) !== groupOf(inputs)
    ? [`OperationNotAllowed: the proximity placement group of ${id} cannot change while it has machines`]
    : [];
}

/** A network's address space contains all its subnets. */
function spaceRefusals(id: string, { addressSpace }: Properties, known: Known): string[] {
  const { addressPrefixes = [] } = (addressSpace ?? {}) as { readonly addressPrefixes?: readonly string[] };
  return Object.values(known)
    .filter((one) => one.id.startsWith(`${id}/subnets/`))
    .filter(
      ({ inputs }) => !addressPrefixes.some((space) => cidrContains(space, String(inputs.addressPrefix))),
    )
    .map((one) => `NetcfgInvalidSubnet: ${one.id} is not in ${addressPrefixes.join(", ")}`);
}

/** A subnet keeps its block while it is in use. */
function subnetRefusals(id: string, { addressPrefix }: Properties, known: Known): string[] {
  const before = known[id]?.inputs.addressPrefix;
  const used = Object.values(known).some(
    (one) => one.id !== id && JSON.stringify(one.body).includes(`"${id}"`),
  );
  return before !== undefined && before !== addressPrefix && used
    ? [`InUsePrefixCannotBeDeleted: ${String(before)} of ${id} is in use`]
    : [];
}

/** StandardV2 spans the zones of its region. */
function standardV2Refusals({ sku, zones = [], location }: Properties): string[] {
  if ((sku as Properties | undefined)?.name !== "StandardV2") {
    return [];
  }
  const expected = hasZones(location) ? 3 : 0;
  return (zones as unknown[]).length === expected ? [] : ["StandardV2 is in all zones of its region"];
}

/** A zonal gateway takes addresses of its zone, or zone-redundant ones. Source: learn.microsoft.com, "NAT gateway and zones". */
function gatewayRefusals({ zones = [], ...inputs }: Properties, known: Known): string[] {
  const [zone] = zones as string[];
  const used = [inputs.publicIpAddresses ?? [], inputs.publicIpPrefixes ?? []].flat() as { id: string }[];
  const elsewhere = used.filter(({ id }) => {
    const its = (known[id]?.inputs.zones ?? []) as string[];
    return zone !== undefined && known[id] !== undefined && !its.includes(zone);
  });
  const ipv6 = (inputs.publicIpAddressesV6 ?? []) as { id: string }[];
  const ofFamily = (list: { id: string }[], family: string) =>
    list.filter(({ id }) => (known[id]?.inputs.publicIPAddressVersion ?? family) !== family);
  const astray = [...ofFamily(used, "IPv4"), ...ofFamily(ipv6, "IPv6")];
  const mixed = [...used, ...ipv6].filter(({ id }) => {
    const other = (known[id]?.inputs.sku as Properties | undefined)?.name;
    return other !== undefined && other !== (inputs.sku as Properties | undefined)?.name;
  });
  return [
    ...elsewhere.map(({ id }) => `${id} is not in zone ${zone} of its NAT gateway`),
    ...astray.map(({ id }) => `${id} is of another IP version than the list of its NAT gateway`),
    ...mixed.map(({ id }) => `${id} is of another SKU than its NAT gateway`),
  ];
}

/** Regions whose service tags have other names. Source: the service tags' own list, 2026. */
const notTags =
  /^AzureCloud\.(france|germany|norway|switzerland)(central|south|westcentral|north|east|west)$/i;

function ruleRefusals({ securityRules = [] }: Properties): string[] {
  return (securityRules as Properties[]).flatMap(({ name, sourceAddressPrefix, ...rule }) => {
    const many = (rule.sourceAddressPrefixes ?? rule.sourceApplicationSecurityGroups) as
      | unknown[]
      | undefined;
    return [
      ...(sourceAddressPrefix === undefined && (many ?? []).length === 0
        ? [`SecurityRuleInvalidAddressPrefix: rule ${String(name)} has no source`]
        : []),
      ...(notTags.test(String(sourceAddressPrefix))
        ? [`rule ${String(name)}: ${String(sourceAddressPrefix)} is no service tag`]
        : []),
    ];
  });
}

/** A gateway keeps its public addresses for life. Source: learn.microsoft.com/azure/vpn-gateway/vpn-gateway-vpn-faq */
function addressRefusals(inputs: Properties, before: ArmResource | undefined): string[] {
  const addressesOf = (all: Properties) =>
    ((all.ipConfigurations ?? []) as Properties[]).map(
      ({ name, publicIPAddress }) => [name, (publicIPAddress as Properties | undefined)?.id] as const,
    );
  const former = new Map(addressesOf(before?.inputs ?? {}));
  return addressesOf(inputs).flatMap(([name, id]) =>
    former.has(name) && former.get(name) !== id
      ? [`the gateway's public address ${String(former.get(name))} cannot change`]
      : [],
  );
}

/** Possible changes of SKU in place. Source: learn.microsoft.com/azure/expressroute/expressroute-about-virtual-network-gateways, 2025-11: no downgrades */
const inPlace = new Set([
  ...["Standard HighPerformance", "Standard UltraPerformance", "HighPerformance UltraPerformance"],
  ...["ErGw1AZ ErGw2AZ", "ErGw1AZ ErGw3AZ", "ErGw2AZ ErGw3AZ"],
]);

function skuRefusals(inputs: Properties, before: ArmResource | undefined): string[] {
  const skuOf = (all: Properties) => String((all.sku as Properties).name);
  const [was, wanted] = [skuOf(before?.inputs ?? inputs), skuOf(inputs)];
  return was === wanted || inPlace.has(`${was} ${wanted}`)
    ? []
    : [`an ExpressRoute gateway is not resized from ${was} to ${wanted}`];
}

function vpnRefusals(inputs: Properties, known: Known): string[] {
  const sku = String((inputs.sku as Properties).name);
  const [, number] = /^VpnGw(\d)AZ$/.exec(sku) ?? [];
  const generation = inputs.vpnGatewayGeneration ?? "Generation1";
  const addresses = (inputs.ipConfigurations as Properties[]).map(
    ({ publicIPAddress }) => known[String((publicIPAddress as Properties).id)],
  );
  const unzoned = addresses.filter((ip) => ((ip?.inputs.zones ?? []) as unknown[]).length === 0);
  return [
    ...(Number(number) >= 4 && generation !== "Generation2" ? [`${sku} needs Generation2`] : []),
    ...(number === "1" && generation !== "Generation1" ? [`${sku} needs Generation1`] : []),
    ...(unzoned.length > 0 && hasZones(inputs.location)
      ? ["VmssVpnGatewayPublicIpsMustHaveZonesConfigured"]
      : []),
  ];
}
