import { VirtualNetworkPeering } from "@pulumi/azure-native/network/virtualNetworkPeering.js";
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, input } from "../shared/args-schema.ts";
import { assertDistinct, inTurn, networkRefSchema, type VirtualNetworkRef } from "./network.ts";
import { OwnAddress, privatePathShape } from "./own-address.ts";

const vnetPeeringSchema = z.strictObject({
  ...privatePathShape,
  /** The client's network; its block must not overlap the server's. */
  clientNetwork: networkRefSchema,
  /** The server's network, in the same region or another one (global peering). */
  serverNetwork: networkRefSchema,
  /**
   * Whether each network accepts packets that the other one only forwards, such as those of a hub's NAT instance for a
   * spoke's machines.
   * @default false
   */
  allowForwardedTraffic: input(z.boolean()).optional(),
});

/** The two virtual networks. */
export interface VnetPeeringArgs extends Readonly<z.infer<typeof vnetPeeringSchema>> {}

/**
 * Client and server in two virtual networks, peered both ways, by their private addresses. A peering is not
 * transitive, and a spoke cannot use its hub's NAT gateway.
 *
 * Cost: 0.01 USD a GB at each side within a region; more between regions.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const path = new azure.VnetPeering("peering", { resourceGroupName: group.name, location: group.location, clientNetwork, serverNetwork, clientAddress: "10.0.1.4" });
 * ```
 */
export class VnetPeering extends OwnAddress {
  readonly topology = "vnet-peering";
  readonly pathReady: readonly pulumi.Resource[];

  constructor(name: string, args: VnetPeeringArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("VnetPeering", vnetPeeringSchema, args);
    const { clientNetwork, serverNetwork } = args;
    assertDistinct(clientNetwork, serverNetwork);
    super("VnetPeering", name, args, opts);
    // Both ways are needed: a one-way peering stays "Initiated" and carries nothing.
    this.pathReady = [
      this.#peering(`${name}-to-server`, clientNetwork, serverNetwork, args),
      this.#peering(`${name}-to-client`, serverNetwork, clientNetwork, args),
    ];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  #peering(
    name: string,
    from: VirtualNetworkRef,
    to: VirtualNetworkRef,
    { allowForwardedTraffic = false }: VnetPeeringArgs,
  ): VirtualNetworkPeering {
    const inputs = {
      resourceGroupName: from.resourceGroupName,
      virtualNetworkName: from.vnetName,
      remoteVirtualNetwork: { id: to.id },
      allowVirtualNetworkAccess: true,
      allowForwardedTraffic,
      allowGatewayTransit: false,
      useRemoteGateways: false,
    };
    // One peering writes to both networks.
    return inTurn(
      [from, to],
      (after) =>
        new VirtualNetworkPeering(name, inputs, {
          parent: this,
          dependsOn: [...after],
          replaceOnChanges: ["remoteVirtualNetwork"],
          deleteBeforeReplace: true,
        }),
    );
  }
}
