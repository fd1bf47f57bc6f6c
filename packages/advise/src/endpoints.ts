/** Services that a private subnet can reach without a NAT at no charge. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";

/** Kinds of free endpoints: AWS's gateway endpoints and Azure's service endpoints are routes of the subnet. */
export type EndpointKind = "gateway endpoint" | "service endpoint";

/** https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html */
const gatewayEndpoints: ReadonlySet<string> = new Set(["S3", "DYNAMODB"]);

/** https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview */
const serviceEndpoints: ReadonlySet<string> = new Set([
  "Storage",
  "Sql",
  "AzureCosmosDB",
  "AzureKeyVault",
  "ServiceBus",
  "EventHub",
  "AppService",
  "CognitiveServicesManagement",
  "AzureContainerRegistry",
]);

const freeEndpoints = {
  aws: { kind: "gateway endpoint", services: gatewayEndpoints },
  azure: { kind: "service endpoint", services: serviceEndpoints },
} as const;

/** The free endpoint of a service in the deployment's region; null: none is known. */
export function endpointOf(cloud: PricedCloud, service: string): EndpointKind | null {
  const { kind, services } = freeEndpoints[cloud];
  return services.has(service) ? kind : null;
}
