import { NatGateway } from "@pulumi/azure-native/network/natGateway.js";
import { PublicIPPrefix } from "@pulumi/azure-native/network/publicIPPrefix.js";
import * as pulumi from "@pulumi/pulumi";
import type { ConnectionLimits } from "../../bench/results/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { nthAddress } from "../shared/cidr.ts";
import { child, placement } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { assertNatGatewayArgs, type NatGatewayEgressArgs, natGatewaySchema } from "./nat-gateway-args.ts";
import {
  allZonesOf,
  type PublicIpRef,
  type PublicIpSku,
  publicIp,
  publicIpOf,
  zonesInput,
} from "./public-ip.ts";
import { assertStandardV2, assertZone } from "./regions.ts";
import { natGatewayV2, publicIpPrefixV2 } from "./standard-v2.ts";

/** Limit of a StandardV2 gateway. Source: learn.microsoft.com/azure/nat-gateway/nat-sku, "Limits", read on 2026-11-22 */
const standardV2Connection: ConnectionLimits = { bitsPerSecond: 1e9, packetsPerSecond: 100_000 };

/**
 * A managed NAT gateway. Attach it to a subnet with `attachment.natGatewayId`; one gateway serves many subnets
 * of one virtual network. Never give such a subnet a 0.0.0.0/0 route, which would win over the gateway.
 *
 * Limits: TCP and UDP, with SKU `StandardV2` also ICMP echo and IPv6; 64,512 ports a public address, 50,000 connections an address and destination.
 *
 * Cost (USD, pay as you go): 0.045 an hour and 0.045 a GB in either direction, 0.005 an hour an address; about
 * 33 a month before traffic. A NAT instance on a small machine costs about a third and nothing a GB.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.NatGatewayEgress("egress", { resourceGroupName: group.name, location: group.location, sku: "StandardV2", publicIpCount: 2 });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24", attachment: egress.attachment });
 * ```
 */
export class NatGatewayEgress extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "nat-gateway";
  readonly gateway: NatGateway;
  readonly attachment: AzureAttachment;
  /** TCP idle timeout, as set. */
  readonly idleTimeoutSeconds: number;
  /** Flow limit of `StandardV2`. */
  readonly connectionLimits: ConnectionLimits | undefined;
  readonly kind: string;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string[]>;
  /** IPv6 addresses that servers see. */
  readonly sourceIpsV6: pulumi.Output<string[]>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:NatGatewayEgress", name, {}, opts);
    checkArgs("NatGatewayEgress", natGatewaySchema, args);
    assertNatGatewayArgs(args);
    assertZone(args.zone, args.location);
    const sku = args.sku ?? "Standard";
    const location = sku === "StandardV2" ? assertStandardV2(args.location) : args.location;
    const prefix = this.#prefix(name, args, sku);
    const addresses = args.publicIps ?? (prefix === undefined ? this.#addresses(name, args, sku) : []);
    const ipv6 = this.#ipv6(name, args, sku);
    const idleTimeoutMinutes = args.idleTimeoutMinutes ?? 4;
    this.idleTimeoutSeconds = 60 * idleTimeoutMinutes;
    this.kind = sku;
    this.connectionLimits = sku === "StandardV2" ? standardV2Connection : undefined;
    const inputs = {
      ...placement({ ...args, location }),
      sku: { name: sku },
      idleTimeoutInMinutes: idleTimeoutMinutes,
      publicIpAddresses: addresses.length === 0 ? undefined : addresses.map(({ id }) => ({ id })),
      publicIpPrefixes: prefix && [{ id: prefix.id }],
      publicIpAddressesV6: ipv6.length === 0 ? undefined : ipv6.map(({ id }) => ({ id })),
      nat64: args.nat64 ? ("Enabled" as const) : undefined,
      ...zonesInput(gatewayZones(args, sku)),
    };
    const options = child(this, { replaceOnChanges: ["sku", "zones"] });
    this.gateway =
      sku === "StandardV2" ? natGatewayV2(name, inputs, options) : new NatGateway(name, inputs, options);
    this.attachment = { natGatewayId: this.gateway.id };
    const ofPrefix = prefix === undefined ? [] : pulumi.output(prefix.cidr).apply(addressesOfPrefix);
    this.expectedSourceIps = pulumi
      .all([addresses.map(({ address }) => address), ofPrefix])
      .apply((all) => all.flat());
    this.sourceIpsV6 = pulumi.output(ipv6.map(({ address }) => address));
    this.ready = [this.gateway];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  #addresses(name: string, args: NatGatewayEgressArgs, sku: PublicIpSku): readonly PublicIpRef[] {
    const options = { sku, replacementTrigger: placeOf(args), zones: addressZones(args) };
    return Array.from({ length: args.publicIpCount ?? 1 }, (_, index) =>
      publicIpOf(publicIp(`${name}-ip-${index + 1}`, args, this, options)),
    );
  }

  #ipv6(name: string, args: NatGatewayEgressArgs, sku: PublicIpSku): readonly PublicIpRef[] {
    const make = (_: unknown, index: number) =>
      publicIpOf(publicIp(`${name}-ipv6-${index + 1}`, args, this, { sku, version: "IPv6" }));
    return args.publicIpsV6 ?? Array.from({ length: args.publicIpV6Count ?? 0 }, make);
  }

  /** The prefix that is named, or a new one; undefined where the gateway has single addresses. */
  #prefix(name: string, args: NatGatewayEgressArgs, sku: PublicIpSku) {
    const { publicIpPrefix, publicIpPrefixLength } = args;
    if (publicIpPrefix !== undefined || publicIpPrefixLength === undefined) {
      return publicIpPrefix;
    }
    const inputs = {
      ...placement(args),
      prefixLength: publicIpPrefixLength,
      publicIPAddressVersion: "IPv4",
      sku: { name: sku, tier: "Regional" },
      ...zonesInput(sku === "StandardV2" ? allZonesOf(args.location) : addressZones(args)),
    };
    const options = child(this, {
      replaceOnChanges: ["prefixLength", "sku", "zones"],
      replacementTrigger: placeOf(args),
    });
    const prefix =
      sku === "StandardV2"
        ? publicIpPrefixV2(`${name}-ip-prefix`, inputs, options)
        : new PublicIPPrefix(`${name}-ip-prefix`, inputs, options);
    return { id: prefix.id, cidr: prefix.ipPrefix.apply((cidr) => cidr ?? "") };
  }
}

function gatewayZones({ zone, location }: NatGatewayEgressArgs, sku: PublicIpSku) {
  return sku === "StandardV2" ? allZonesOf(location) : zone === undefined ? undefined : [zone];
}

/**
 * Zones of the addresses: a gateway of one zone takes addresses of that zone or of all; those in all zones serve any later
 * gateway.
 */
function addressZones({ zone, location }: NatGatewayEgressArgs) {
  return zone === undefined ? undefined : allZonesOf(location);
}

/** The new gateway exists before the old one releases its addresses, so another zone needs other addresses. */
function placeOf({ zone }: NatGatewayEgressArgs): string {
  return zone === undefined ? "no zone" : `zone ${zone}`;
}

function addressesOfPrefix(prefix: string): string[] {
  const size = 2 ** (32 - Number(prefix.split("/")[1]));
  return Array.from({ length: size }, (_, index) => nthAddress(prefix, index));
}
