import { VirtualNetworkGatewayConnection } from "@pulumi/azure-native/network/virtualNetworkGatewayConnection.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { topologies } from "../../bench/topologies/index.ts";
import { checkArgs, input, text } from "../shared/args-schema.ts";
import { checked, invalid } from "../shared/arguments.ts";
import { child } from "./common.ts";
import { assertDistinct } from "./network.ts";
import { OwnAddress, privatePathShape } from "./own-address.ts";
import {
  expressRouteSkus,
  gateway,
  gatewayEndShape,
  gatewayTimeouts,
  idWithSku,
  siteOf,
} from "./virtual-network-gateway.ts";

const { usual } = topologies.expressroute.kinds;

const endSchema = z.strictObject(gatewayEndShape);

/** One end of the circuit. */
export interface ExpressRouteEndArgs extends Readonly<z.infer<typeof endSchema>> {}

export const expressRouteSchema = z.strictObject({
  ...privatePathShape,
  client: endSchema,
  server: endSchema,
  circuitId: input(z.string("needs the resource id of an existing ExpressRoute circuit")).meta({
    description: "Resource id of a circuit that its provider has provisioned.",
  }),
  authorizationKey: text.optional().meta({
    description: "Authorization key of the circuit, if it belongs to another subscription. A secret.",
  }),
  sku: text.optional().meta({
    description: "SKU of both gateways. Azure changes few in place: other changes are refused at preview.",
    default: usual,
  }),
});

/** The circuit, its two ends and their gateways. */
export interface ExpressRouteArgs extends Readonly<z.infer<typeof expressRouteSchema>> {}

/**
 * Client and server in two virtual networks, by their private addresses over one circuit, which turns the
 * packets round at Microsoft's edge. The circuit must exist: only its provider can make it work.
 *
 * Takes up to 45 minutes to build.
 *
 * Cost (USD, pay as you go): each ErGw1AZ gateway 0.361 an hour, beside the circuit's own.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const path = new azure.ExpressRoute("circuit", {
 *   resourceGroupName: group.name, location: group.location,
 *   client: { network: clientNetwork, gatewaySubnetId: clientGatewaySubnet.id },
 *   server: { network: serverNetwork, gatewaySubnetId: serverGatewaySubnet.id },
 *   circuitId: "/subscriptions/.../expressRouteCircuits/mine",
 *   clientAddress: "10.0.1.4",
 * });
 * ```
 */
export class ExpressRoute extends OwnAddress {
  readonly topology = "expressroute";
  /** SKU of both gateways; undefined where it is known only later. */
  readonly kind: string | undefined;
  readonly pathReady: readonly pulumi.Resource[];

  constructor(name: string, args: ExpressRouteArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("ExpressRoute", expressRouteSchema, args);
    const { client, server } = args;
    assertDistinct(client.network, server.network);
    const sku = checked(args.sku ?? usual, assertSku);
    const circuitId = checked(args.circuitId, assertCircuit);
    super("ExpressRoute", name, args, opts);
    this.kind = typeof sku === "string" ? sku : undefined;
    this.pathReady = [
      this.#join(name, "client", args, sku, circuitId),
      this.#join(name, "server", args, sku, circuitId),
    ];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /** Connects one network to the circuit. */
  #join(
    name: string,
    at: "client" | "server",
    args: ExpressRouteArgs,
    sku: pulumi.Input<string>,
    circuitId: pulumi.Input<string>,
  ): VirtualNetworkGatewayConnection {
    const { network, gatewaySubnetId } = args[at];
    const site = siteOf(args, network);
    // It passes on traffic from another virtual network of the circuit, which both ends must allow.
    const kind = { gatewayType: "ExpressRoute", allowRemoteVnetTraffic: true };
    const end = { ...site, sku, gatewaySubnetId };
    const own = gateway(`${name}-${at}-gateway`, end, kind, [undefined], this);
    const { authorizationKey } = args;
    return new VirtualNetworkGatewayConnection(
      `${name}-${at}-connection`,
      {
        ...site,
        connectionType: "ExpressRoute",
        virtualNetworkGateway1: { id: idWithSku(own, sku, `**::${name}-*-gateway`) },
        peer: { id: circuitId },
        authorizationKey: authorizationKey === undefined ? undefined : pulumi.secret(authorizationKey),
        enableBgp: false,
      },
      child(this, { customTimeouts: gatewayTimeouts, replaceOnChanges: ["virtualNetworkGateway1", "peer"] }),
    );
  }
}

function assertSku(sku: string): void {
  if (!expressRouteSkus.includes(sku)) {
    throw invalid(
      "sku",
      `"${sku}" is not an ExpressRoute gateway; choose one of ${expressRouteSkus.join(", ")}`,
    );
  }
}

function assertCircuit(id: string | undefined): void {
  if (id === undefined || !/\/providers\/Microsoft\.Network\/expressRouteCircuits\/[^/]+$/i.test(id)) {
    throw invalid(
      "circuitId",
      `needs the resource id of an existing circuit, such as /subscriptions/.../providers/Microsoft.Network/expressRouteCircuits/my-circuit; got ${id}`,
    );
  }
}
