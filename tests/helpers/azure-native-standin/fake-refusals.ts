/**
 * What Azure refuses of bodies that its schema takes.
 *
 * @module
 */
import type { ArmResource } from "./fake-arm.ts";

type Properties = Readonly<Record<string, unknown>>;
type Known = Readonly<Record<string, ArmResource>>;

/** Some regions without availability zones. Source: learn.microsoft.com/azure/reliability/regions-list */
const withoutZones = ["ukwest", "westus", "northcentralus", "australiasoutheast", "norwaywest"];

/** Why a resource cannot be as its inputs say, beside the schema. */
export function refusalsOf(type: string, inputs: Properties, known: Known): string[] {
  const zoned = zoneRefusals(inputs);
  switch (type) {
    case "azure-native:network:PublicIPPrefix":
      return [...zoned, ...prefixRefusals(inputs)];
    case "azure-native:network:NetworkSecurityGroup":
      return ruleRefusals(inputs);
    case "azure-native:network:VirtualNetworkGateway":
      return inputs.gatewayType === "Vpn" ? vpnRefusals(inputs, known) : [];
    case "azure-native:compute:VirtualMachine":
      return [...zoned, ...proximityRefusals(inputs, known)];
    default:
      return zoned;
  }
}

function hasZones(location: unknown): boolean {
  return !withoutZones.includes(String(location).replaceAll(" ", "").toLowerCase());
}

function zoneRefusals({ zones = [], location }: Properties): string[] {
  return (zones as unknown[]).length > 0 && !hasZones(location)
    ? [`LocationNotSupportAvailabilityZones: ${String(location)} has no zones`]
    : [];
}

/** A group holds machines of its own region, and of one zone. */
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

function prefixRefusals({ sku, zones = [] }: Properties): string[] {
  return (sku as Properties).name === "StandardV2" && (zones as unknown[]).length !== 3
    ? ["a StandardV2 prefix is zone-redundant: zones 1, 2 and 3"]
    : [];
}

/** Service tags of these regions are not called as the regions are. Source: the service tags' own list, 2026. */
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

function vpnRefusals(inputs: Properties, known: Known): string[] {
  const sku = String((inputs.sku as Properties).name);
  const [, number, az] = /^VpnGw(\d)(AZ)?$/.exec(sku) ?? [];
  if (az === undefined) {
    return [`${sku} can no longer be created; its AZ SKU can`];
  }
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
