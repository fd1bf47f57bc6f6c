/** Services that a private subnet can reach without a NAT, by their names in the range lists. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";

const azureServices: readonly string[] = [
  ...["Storage", "Sql", "AzureCosmosDB", "AzureKeyVault", "ServiceBus", "EventHub", "AppService"],
  "AzureContainerRegistry",
];

/** Free endpoints are routes of the subnet. Charged ones are an address in it, on AWS one per zone. */
export const endpoints = {
  aws: {
    /** https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html */
    free: { kind: "gateway endpoint", services: ["S3", "DYNAMODB"] as readonly string[] },
    /**
     * `AMAZON` stands for services without a name of their own: ECR, SQS, STS, CloudWatch and most others.
     * https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
     */
    charged: {
      kind: "interface endpoint",
      services: [
        ...["AMAZON", "AMAZON_APPFLOW", "API_GATEWAY", "AURORA_DSQL", "CODEBUILD", "EBS"],
        "KINESIS_VIDEO_STREAMS",
      ] as readonly string[],
      count: "one endpoint in one zone for each; AMAZON is many services, each with an endpoint of its own",
    },
  },
  azure: {
    /** https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview */
    free: {
      kind: "service endpoint",
      services: [...azureServices, "CognitiveServicesManagement"] as readonly string[],
    },
    /** https://learn.microsoft.com/azure/private-link/availability */
    charged: {
      kind: "private endpoint",
      services: azureServices,
      count: "one endpoint for each, if the free one does not suffice",
    },
  },
} as const;

type Endpoints = (typeof endpoints)[PricedCloud];
export type EndpointKind<Price extends keyof Endpoints> = Endpoints[Price]["kind"];
