/** Services that a private subnet can reach without a NAT at no charge. */

/** How: AWS's gateway endpoints and Azure's service endpoints are routes of the subnet, and free. */
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

/** The free endpoint of a service of the reader's own region; null: it has none that is known. */
export function endpointOf(cloud: "aws" | "azure", service: string): EndpointKind | null {
  const { kind, services } = freeEndpoints[cloud];
  return services.has(service) ? kind : null;
}
