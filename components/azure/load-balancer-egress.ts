import { getLoadBalancer } from "@pulumi/azure-native/network/getLoadBalancer.js";
import { LoadBalancer } from "@pulumi/azure-native/network/loadBalancer.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { limits } from "../../bench/topologies/limits.ts";
import { checkArgs, countWithin } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { azureShape, child, namesInId, placement } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { publicIpShape, publicIpsOf } from "./public-ip.ts";

const published = limits.azure["load-balancer"];
/** SNAT ports of a frontend address. Source: learn.microsoft.com/azure/load-balancer/outbound-rules. */
const PORTS_PER_ADDRESS = published.flowsPerAddressAndDestination;
const addresses = publicIpShape(published.addressesPerGateway);
const POOL = "clients";
const MAX_DEFAULT_PORTS = 32_000;

export const loadBalancerEgressSchema = z.strictObject({
  ...azureShape,
  ...addresses,
  publicIpCount: addresses.publicIpCount.meta({
    description: "Public addresses; each is worth 64,000 ports, shared among the clients.",
    default: 1,
  }),
  /** Clients that share the ports of all addresses. @default 2 */
  clients: z.int().min(1).optional(),
  allocatedOutboundPorts: z.int().min(8).multipleOf(8, "must be a multiple of 8").optional().meta({
    description: "SNAT ports of each client, a multiple of 8.",
    fallback: "an equal share, 32000 at most",
  }),
  idleTimeoutMinutes: countWithin(4, published.idleSeconds / 60).meta({
    description: "Minutes after which a silent flow is forgotten.",
    default: 4,
  }),
});

/** The load balancer's public addresses and ports. */
export interface LoadBalancerEgressArgs extends Readonly<z.infer<typeof loadBalancerEgressSchema>> {}

/**
 * A Standard load balancer that does nothing but SNAT. Clients join its backend pool by their network interface
 * (`attachment.backendPoolId`): a pool of IP addresses would fall back to default outbound access. A public IP on
 * the client, or a NAT gateway or 0.0.0.0/0 route on its subnet, would win over it.
 *
 * Cost (USD, pay as you go): 0.025 an hour, 0.005 a GB, 0.005 an hour an address.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.LoadBalancerEgress("balancer", { resourceGroupName: group.name, location: group.location, publicIpCount: 2, clients: 8 });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24", attachment: egress.attachment });
 * // Each machine's network interface joins the pool egress.attachment.backendPoolId.
 * ```
 */
export class LoadBalancerEgress extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "load-balancer";
  readonly loadBalancer: LoadBalancer;
  readonly attachment: AzureAttachment;
  /** TCP idle timeout, as set. */
  readonly idleTimeoutSeconds: number;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: LoadBalancerEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:LoadBalancerEgress", name, {}, opts);
    checkArgs("LoadBalancerEgress", loadBalancerEgressSchema, args);
    const { idleTimeoutMinutes, allocatedOutboundPorts } = checkedArgs(args);
    this.idleTimeoutSeconds = 60 * idleTimeoutMinutes;
    const ips = publicIpsOf(name, args, this);
    const frontends = ips.map((ip, index) => ({
      name: `frontend-${index + 1}`,
      publicIPAddress: { id: ip.id },
    }));
    this.loadBalancer = new LoadBalancer(
      name,
      {
        ...placement(args),
        sku: { name: "Standard", tier: "Regional" },
        frontendIPConfigurations: frontends,
        backendAddressPools: [{ name: POOL }],
        outboundRules: [
          outboundRule(frontends, { allocatedOutboundPorts, idleTimeoutInMinutes: idleTimeoutMinutes }),
        ],
      },
      child(this),
    );
    this.attachment = {
      backendPoolId: pulumi.interpolate`${this.#withPortsForAll(allocatedOutboundPorts, ips.length)}/backendAddressPools/${POOL}`,
    };
    this.expectedSourceIps = ips.map(({ address }) => address);
    this.ready = [this.loadBalancer];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /**
   * The load balancer's id. A preview refuses more ports than its present clients can share: an update changes the load
   * balancer first, and deletes clients last.
   */
  #withPortsForAll(allocatedOutboundPorts: number, publicIpCount: number): pulumi.Output<string> {
    return checkedAtPreview(
      this.loadBalancer.id,
      async (id) => {
        const [resourceGroupName = "", loadBalancerName = ""] = namesInId("Network/loadBalancers/*", id);
        const { backendAddressPools = [] } = await getLoadBalancer(
          { resourceGroupName, loadBalancerName },
          { parent: this },
        );
        return backendAddressPools.flatMap(({ backendIPConfigurations }) => backendIPConfigurations ?? [])
          .length;
      },
      (clients) => {
        if (clients * allocatedOutboundPorts > publicIpCount * PORTS_PER_ADDRESS) {
          throw invalid(
            "allocatedOutboundPorts",
            `${allocatedOutboundPorts} for each of the ${clients} clients in the pool at present is more than the ${publicIpCount * PORTS_PER_ADDRESS} ports of ${publicIpCount} addresses, and clients leave last; set allocatedOutboundPorts to ${defaultPorts(publicIpCount, clients)} and run pulumi up, then leave it out or raise it`,
          );
        }
      },
    );
  }
}

/** The provider puts the load balancer's own id in place of $self. */
function outboundRule(
  frontends: readonly { readonly name: string }[],
  bounds: { readonly allocatedOutboundPorts: number; readonly idleTimeoutInMinutes: number },
) {
  return {
    name: "outbound",
    protocol: "All",
    frontendIPConfigurations: frontends.map(({ name }) => ({ id: `$self/frontendIPConfigurations/${name}` })),
    backendAddressPool: { id: `$self/backendAddressPools/${POOL}` },
    ...bounds,
    enableTcpReset: true,
  };
}

/** An equal share of ports, rounded to a multiple of 8. */
function defaultPorts(publicIpCount: number, clients: number): number {
  return Math.min(MAX_DEFAULT_PORTS, 8 * Math.floor((publicIpCount * PORTS_PER_ADDRESS) / clients / 8));
}

/** Arguments with defaults. @throws {pulumi.InputPropertyError} for more ports than the addresses have */
function checkedArgs(args: LoadBalancerEgressArgs) {
  const { clients = 2, idleTimeoutMinutes = 4 } = args;
  const publicIpCount = args.publicIps?.length ?? args.publicIpCount ?? 1;
  const { allocatedOutboundPorts = defaultPorts(publicIpCount, clients) } = args;
  const ports = publicIpCount * PORTS_PER_ADDRESS;
  const sharing = args.clients ?? 1;
  if (allocatedOutboundPorts * sharing > ports) {
    throw invalid(
      "allocatedOutboundPorts",
      `${allocatedOutboundPorts} for each of ${sharing} clients is more than the ${ports} ports of ${publicIpCount} addresses; give fewer, or more addresses (publicIpCount)`,
    );
  }
  return { idleTimeoutMinutes, allocatedOutboundPorts };
}
