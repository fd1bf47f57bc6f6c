import type { VirtualNetworkGateway } from "@pulumi/azure-native/network/virtualNetworkGateway.js";
import { VirtualNetworkGatewayConnection } from "@pulumi/azure-native/network/virtualNetworkGatewayConnection.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { topologies } from "../../bench/topologies/index.ts";
import { checkArgs, optionalFlag, text } from "../shared/args-schema.ts";
import { checked, invalid } from "../shared/arguments.ts";
import { child } from "./common.ts";
import { assertDistinct, type VirtualNetworkRef } from "./network.ts";
import { OwnAddress, privatePathShape } from "./own-address.ts";
import { publicIp } from "./public-ip.ts";
import { zonesOf } from "./regions.ts";
import { gateway, gatewayEndShape, gatewayTimeouts, siteOf } from "./virtual-network-gateway.ts";

const { usual } = topologies["vpn-gateway"].kinds;

export const vpnEndSchema = z.strictObject({
  ...gatewayEndShape,
  activeActive: optionalFlag.meta({
    description: "Whether both instances of the gateway carry traffic, or one stands by.",
    default: false,
  }),
  /** Zones of its public addresses, such as `["1", "2", "3"]`; empty for none. @default all zones of the region */
  zones: z.array(z.string()).readonly().optional(),
});

/** One end of the tunnel. */
export interface VpnEndArgs extends Readonly<z.infer<typeof vpnEndSchema>> {}

export const vpnGatewaySchema = z.strictObject({
  ...privatePathShape,
  client: vpnEndSchema,
  server: vpnEndSchema,
  sku: text.optional().meta({
    description: "SKU of both gateways: VpnGw1AZ to VpnGw5AZ. Azure has stopped making SKUs without AZ.",
    default: usual,
  }),
  /** Secret text, up to 128 printable characters. */
  sharedKey: text,
});

/** The tunnel's two ends and their gateways. */
export interface VpnGatewayArgs extends Readonly<z.infer<typeof vpnGatewaySchema>> {}

/**
 * Client and server in two virtual networks, usually of two regions, by their private addresses through a
 * VNet-to-VNet tunnel. The published comparison has three patterns: 1 both ends active/standby, 2 the client's end
 * active/active, 3 both.
 *
 * Takes up to 45 minutes to build.
 *
 * Cost (USD, pay as you go): each VpnGw1AZ gateway 0.21 an hour, and traffic between the regions.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const path = new azure.VpnGateway("vpn", {
 *   resourceGroupName: group.name, location: group.location,
 *   client: { network: clientNetwork, gatewaySubnetId: clientGatewaySubnet.id },
 *   server: { network: serverNetwork, gatewaySubnetId: serverGatewaySubnet.id, activeActive: true },
 *   sharedKey: new pulumi.Config().requireSecret("sharedKey"),
 *   clientAddress: "10.0.1.4",
 * });
 * ```
 */
export class VpnGateway extends OwnAddress {
  readonly topology = "vpn-gateway";
  /** SKU of both gateways; undefined where it is known only later. */
  readonly kind: string | undefined;
  readonly pathReady: readonly pulumi.Resource[];

  constructor(name: string, args: VpnGatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("VpnGateway", vpnGatewaySchema, args);
    const { client, server } = args;
    assertDistinct(client.network, server.network);
    const sku = checked(args.sku ?? usual, assertSku);
    super("VpnGateway", name, args, opts);
    this.kind = typeof sku === "string" ? sku : undefined;
    const [clientGateway, serverGateway] = [
      this.#gateway(`${name}-client-gateway`, args, sku, client),
      this.#gateway(`${name}-server-gateway`, args, sku, server),
    ];
    this.pathReady = [
      this.#connection(`${name}-to-server`, args, client.network, clientGateway, serverGateway),
      this.#connection(`${name}-to-client`, args, server.network, serverGateway, clientGateway),
    ];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /** A gateway with as many public addresses as it has active instances. */
  #gateway(name: string, args: VpnGatewayArgs, sku: pulumi.Input<string>, end: VpnEndArgs) {
    const { network, gatewaySubnetId, activeActive = false } = end;
    const site = siteOf(args, network);
    // A gateway across zones takes only addresses across zones; a region without zones has neither.
    const zones = end.zones ?? pulumi.output(site.location).apply(zonesOf);
    const addresses = (activeActive ? [1, 2] : [1]).map((instance) =>
      publicIp(`${name}-ip-${instance}`, site, this, { zones }),
    );
    const kind = { gatewayType: "Vpn", vpnType: "RouteBased", activeActive };
    // The largest SKUs are second-generation only; where both have an SKU, Azure defaults to the first.
    const vpnGatewayGeneration = pulumi
      .output(sku)
      .apply((known) => (/^VpnGw[45]AZ$/.test(known) ? "Generation2" : undefined));
    const own = { ...site, sku, gatewaySubnetId };
    return gateway(name, own, { ...kind, vpnGatewayGeneration }, addresses, this);
  }

  #connection(
    name: string,
    args: VpnGatewayArgs,
    network: VirtualNetworkRef,
    from: VirtualNetworkGateway,
    to: VirtualNetworkGateway,
  ): VirtualNetworkGatewayConnection {
    return new VirtualNetworkGatewayConnection(
      name,
      {
        ...siteOf(args, network),
        connectionType: "Vnet2Vnet",
        virtualNetworkGateway1: { id: from.id },
        virtualNetworkGateway2: { id: to.id },
        sharedKey: pulumi.secret(args.sharedKey),
        enableBgp: false,
      },
      child(this, {
        customTimeouts: gatewayTimeouts,
        replaceOnChanges: ["virtualNetworkGateway1", "virtualNetworkGateway2"],
      }),
    );
  }
}

function assertSku(sku: string): void {
  if (/^VpnGw[1-5]$/.test(sku)) {
    throw invalid("sku", `Azure has made no ${sku} since November 2025; choose ${sku}AZ`);
  }
  if (!/^VpnGw[1-5]AZ$/.test(sku)) {
    throw invalid(
      "sku",
      `"${sku}" is not a VPN gateway that can be active/active; choose VpnGw1AZ to VpnGw5AZ`,
    );
  }
}
