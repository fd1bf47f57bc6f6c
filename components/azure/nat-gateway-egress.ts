/**
 * Azure NAT Gateway.
 *
 * @module
 */
import { NatGateway } from "@pulumi/azure-native/network/natGateway.js";
import { PublicIPPrefix } from "@pulumi/azure-native/network/publicIPPrefix.js";
import * as pulumi from "@pulumi/pulumi";
import type { ConnectionLimits } from "../../bench/results/index.ts";
import { invalid } from "../shared/arguments.ts";
import { nthAddress } from "../shared/cidr.ts";
import { type AzureArgs, child, placement } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { addressOf, type PublicIpSku, publicIp } from "./public-ip.ts";
import { ALL_ZONES, assertZone } from "./regions.ts";

/** The gateway's kind, place and public addresses. */
export interface NatGatewayEgressArgs extends AzureArgs {
  /**
   * `StandardV2` is zone-redundant and missing in a handful of regions; it carries at most 1 Gbit/s and 100,000
   * packets a second a connection, so that it takes 16 flows and more to fill it.
   * A change makes a new gateway: Azure upgrades none in place.
   *
   * @default Standard
   */
  readonly sku?: PublicIpSku | undefined;
  /** Public addresses to create, 1 to 16; each is worth 64,512 ports. @default 1, or none with a prefix */
  readonly publicIpCount?: number | undefined;
  /** Length of a public IP prefix to create instead: 31 (2 addresses) to 28 (16). @default - none */
  readonly publicIpPrefixLength?: number | undefined;
  /** Addresses that exist already, used instead of new ones. Of the gateway's own SKU. @default - none */
  readonly publicIps?:
    | readonly {
        readonly id: pulumi.Input<string>;
        readonly address: pulumi.Input<string>;
        readonly sku: PublicIpSku;
      }[]
    | undefined;
  /** 4 to 120. @default 4 */
  readonly idleTimeoutMinutes?: number | undefined;
  /**
   * For SKU `Standard` only. A change makes a new gateway with new addresses. With `publicIps` take the gateway off its
   * subnets first: Azure gives an address to no second gateway.
   *
   * @default - Azure's choice
   */
  readonly zone?: string | undefined;
}

/** Most public IPv4 addresses of one NAT gateway. */
const MAX_ADDRESSES = 16;

/** Of a StandardV2 gateway. Source: learn.microsoft.com/azure/nat-gateway/nat-sku, "Limits", read on 2026-11-22 */
const standardV2Connection: ConnectionLimits = { bitsPerSecond: 1e9, packetsPerSecond: 100_000 };

/**
 * A managed NAT gateway. Attach it to a subnet with `attachment.natGatewayId`; one gateway serves many subnets
 * of one virtual network. Never give such a subnet a 0.0.0.0/0 route, which would win over the gateway.
 *
 * Limits: TCP and UDP over IPv4; 64,512 ports a public address, 50,000 connections an address and destination.
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
  /** The NAT gateway. */
  readonly gateway: NatGateway;
  /** What a client needs to go out through it. */
  readonly attachment: AzureAttachment;
  readonly serverSide = "public";
  /** TCP, as set. */
  readonly idleTimeoutSeconds: number;
  /** Of `StandardV2`. */
  readonly connectionLimits: ConnectionLimits | undefined;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string[]>;
  readonly ready: readonly pulumi.Resource[];
  readonly pathReady = [] as const;

  constructor(name: string, args: NatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:NatGatewayEgress", name, {}, opts);
    assertNatGatewayArgs(args);
    assertZone(args.zone, args.location);
    const sku = args.sku ?? "Standard";
    const addresses = args.publicIpPrefixLength === undefined ? this.#addresses(name, args, sku) : undefined;
    const prefix = addresses === undefined ? this.#prefix(name, args, sku) : undefined;
    const idleTimeoutMinutes = args.idleTimeoutMinutes ?? 4;
    this.idleTimeoutSeconds = 60 * idleTimeoutMinutes;
    this.connectionLimits = sku === "StandardV2" ? standardV2Connection : undefined;
    this.gateway = new NatGateway(
      name,
      {
        ...placement(args),
        sku: { name: sku },
        idleTimeoutInMinutes: idleTimeoutMinutes,
        ...(addresses === undefined ? {} : { publicIpAddresses: addresses.map(({ id }) => ({ id })) }),
        ...(prefix === undefined ? {} : { publicIpPrefixes: [{ id: prefix.id }] }),
        ...zones(args, sku),
      },
      child(this, { replaceOnChanges: ["sku", "zones"] }),
    );
    this.attachment = { natGatewayId: this.gateway.id };
    this.expectedSourceIps =
      prefix === undefined
        ? pulumi.output((addresses ?? []).map(({ address }) => address))
        : prefix.ipPrefix.apply(addressesOfPrefix);
    this.ready = [this.gateway];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  #addresses(name: string, args: NatGatewayEgressArgs, sku: PublicIpSku) {
    if (args.publicIps !== undefined) {
      return args.publicIps;
    }
    return Array.from({ length: args.publicIpCount ?? 1 }, (_, index) => {
      const ip = publicIp(`${name}-ip-${index + 1}`, args, this, { sku, replacementTrigger: placeOf(args) });
      return { id: ip.id, address: addressOf(ip) };
    });
  }

  #prefix(name: string, args: NatGatewayEgressArgs, sku: PublicIpSku): PublicIPPrefix {
    return new PublicIPPrefix(
      `${name}-ip-prefix`,
      {
        ...placement(args),
        prefixLength: args.publicIpPrefixLength as number,
        publicIPAddressVersion: "IPv4",
        sku: { name: sku, tier: "Regional" },
        ...(sku === "StandardV2" ? { zones: [...ALL_ZONES] } : {}),
      },
      child(this, {
        replaceOnChanges: ["prefixLength", "sku", "zones"],
        replacementTrigger: placeOf(args),
      }),
    );
  }
}

/** @throws {pulumi.InputPropertyError} for what Azure would refuse, or take and measure something else. */
function assertNatGatewayArgs(args: NatGatewayEgressArgs): void {
  const { sku = "Standard", publicIpCount, publicIpPrefixLength, publicIps, idleTimeoutMinutes, zone } = args;
  const given = { publicIpCount, publicIpPrefixLength, publicIps };
  const sources = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (sources.length > 1) {
    throw invalid(sources[1] as string, `${sources.join(" and ")} exclude each other; give one of them`);
  }
  const count = publicIps?.length ?? publicIpCount ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > MAX_ADDRESSES) {
    throw invalid(
      publicIps === undefined ? "publicIpCount" : "publicIps",
      `a NAT gateway takes 1 to ${MAX_ADDRESSES} public addresses, not ${count}`,
    );
  }
  if (publicIpPrefixLength !== undefined && ![28, 29, 30, 31].includes(publicIpPrefixLength)) {
    throw invalid(
      "publicIpPrefixLength",
      `a NAT gateway takes a prefix of 2 to ${MAX_ADDRESSES} addresses: 31, 30, 29 or 28, not ${publicIpPrefixLength}`,
    );
  }
  publicIps?.forEach((ip, index) => {
    if (ip.sku !== sku) {
      throw invalid(
        `publicIps[${index}].sku`,
        `a ${sku} NAT gateway takes ${sku} addresses only, not ${ip.sku}; create the address with SKU ${sku}`,
      );
    }
  });
  if (idleTimeoutMinutes !== undefined && !(idleTimeoutMinutes >= 4 && idleTimeoutMinutes <= 120)) {
    throw invalid("idleTimeoutMinutes", `must be 4 to 120, not ${idleTimeoutMinutes}`);
  }
  if (sku === "StandardV2" && zone !== undefined) {
    throw invalid("zone", "a StandardV2 NAT gateway spans zones 1, 2 and 3; leave zone out");
  }
}

function zones({ zone }: NatGatewayEgressArgs, sku: PublicIpSku): { zones?: string[] } {
  if (sku === "StandardV2") {
    return { zones: [...ALL_ZONES] };
  }
  return zone === undefined ? {} : { zones: [zone] };
}

/** A new gateway is there before the old one lets go of its addresses, so that another zone takes others. */
function placeOf({ zone }: NatGatewayEgressArgs): string {
  return zone === undefined ? "no zone" : `zone ${zone}`;
}

function addressesOfPrefix(prefix: string): string[] {
  const size = 2 ** (32 - Number(prefix.split("/")[1]));
  return Array.from({ length: size }, (_, index) => nthAddress(prefix, index));
}
