import { LoadBalancer } from "@pulumi/azure-native/network/loadBalancer.js";
import * as pulumi from "@pulumi/pulumi";
import { type AzureArgs, child, placement } from "./common.ts";
import { ALL_ZONES } from "./regions.ts";

/** Port at which the load balancer asks whether a machine is active. */
export const PROBE_PORT = 3782;

/** Azure's shortest interval. Source: learn.microsoft.com, Probe's intervalInSeconds */
const PROBE_SECONDS = 5;

/** Idle timeout of the load balancer's flows: the longest that all of Azure's API versions take. */
const LB_IDLE_MINUTES = 30;

const fixedAtCreation = ["frontendIPConfigurations[*].zones", "frontendIPConfigurations[*].subnet.id"];

const POOL = "machines";
const FRONTEND = "clients";
const PROBE = "active";

interface ActiveBalancerArgs extends AzureArgs {
  /** Subnet of its frontend, which is the clients' next hop. */
  readonly subnetId: pulumi.Input<string>;
  /** Zones of the machines; empty: the load balancer has no zone either. */
  readonly zones: readonly string[];
}

/** A load balancer for all ports and protocols, to the machine that says it is active; to both while neither does. */
export function activeBalancer(name: string, args: ActiveBalancerArgs, parent: pulumi.Resource) {
  const resource = new LoadBalancer(
    name,
    {
      ...placement(args),
      sku: { name: "Standard", tier: "Regional" },
      frontendIPConfigurations: [
        {
          name: FRONTEND,
          subnet: { id: args.subnetId },
          privateIPAllocationMethod: "Dynamic",
          zones: args.zones.length === 0 ? undefined : [...ALL_ZONES],
        },
      ],
      backendAddressPools: [{ name: POOL }],
      probes: [probe],
      loadBalancingRules: [allPorts],
    },
    // Another subnet makes another load balancer, so that the machines leave the former one in turn.
    child(parent, { replaceOnChanges: fixedAtCreation }),
  );
  return {
    resource,
    poolId: pulumi.interpolate`${resource.id}/backendAddressPools/${POOL}`,
    frontend: resource.frontendIPConfigurations.apply((ends) => ends?.[0]?.privateIPAddress ?? ""),
  };
}

const probe = {
  name: PROBE,
  protocol: "Tcp",
  port: PROBE_PORT,
  intervalInSeconds: PROBE_SECONDS,
  probeThreshold: 1,
  numberOfProbes: 1,
  // Both machines always forward, so either is better than none until Azure has seen who took over.
  noHealthyBackendsBehavior: "AllProbedUp",
};

const allPorts = {
  name: "all-ports",
  protocol: "All",
  frontendPort: 0,
  backendPort: 0,
  // The provider puts the load balancer's own id in place of $self.
  frontendIPConfiguration: { id: `$self/frontendIPConfigurations/${FRONTEND}` },
  backendAddressPool: { id: `$self/backendAddressPools/${POOL}` },
  probe: { id: `$self/probes/${PROBE}` },
  idleTimeoutInMinutes: LB_IDLE_MINUTES,
};
