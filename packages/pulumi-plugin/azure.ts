import * as pulumi from "@pulumi/pulumi";
import * as azure from "egress-bench/azure";
import type { leftOut, Passed } from "./left-out";
import { type NatInputs, natOptions } from "./nat-options";
import { optionalKey, optionalSshOf } from "./ssh";

/** An image of the marketplace. */
interface AzureImage {
  /** Publisher, such as Canonical. */
  publisher: string;
  /** Offer, such as ubuntu-24_04-lts. */
  offer: string;
  /** Kind of the offer, such as server. */
  sku: string;
  /** Version, such as 24.04.202507010. */
  version: string;
}

/** A public address that exists. */
interface AzurePublicIp {
  /** Resource id. */
  id: pulumi.Input<string>;
  /** IPv4 address. */
  address: pulumi.Input<string>;
}

/** Public addresses in the library's form. Each is an input, because Go's SDK has no lists of plain items with inputs. */
function publicIpsOf(given: pulumi.Input<AzurePublicIp>[] | undefined) {
  return given?.map((one) => {
    const { id, address } = pulumi.output(one);
    return { id, address };
  });
}

/** Flat arguments of Azure's NatInstance. */
export interface AzureNatInstanceArgs extends NatInputs {
  /** Resource group of the resources. */
  resourceGroupName: pulumi.Input<string>;
  /** Region, such as japaneast. */
  location: pulumi.Input<string>;
  /** Subnet of the instance. Not one of its clients': their route would lead the instance back to itself. */
  subnetId: pulumi.Input<string>;
  /** Size of the instance. Default: Standard_B2ats_v2. */
  size?: pulumi.Input<string>;
  /** Image. Default: Ubuntu 24.04 of the size's architecture, pinned. */
  image?: AzureImage;
  /** User to create. Default: azureuser. */
  adminUser?: pulumi.Input<string>;
  /** Availability zone. Default: Azure's choice. */
  zone?: pulumi.Input<string>;
  /** Proximity placement group in the region, by its resource id. Default: none. */
  proximityPlacementGroupId?: pulumi.Input<string>;
  /** Disk encryption set for your own key, by its resource id. Default: Azure's own key. */
  diskEncryptionSetId?: pulumi.Input<string>;
  /** Whether the interface has accelerated networking. Default: where the size has it. */
  acceleratedNetworking?: boolean;
  /** Public addresses, 1 to 64. Default: 1. */
  publicIpCount?: number;
  /** Public addresses that exist already, of SKU Standard, used instead of new ones. Default: new ones. */
  existingPublicIps?: pulumi.Input<AzurePublicIp>[];
  /** Whether a second machine stands by behind an internal load balancer. Default: false. */
  highAvailability?: boolean;
  /** Tags of the resources. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/**
 * A NAT instance: one Linux machine with an nftables masquerade, its own security group and a route table for the
 * clients' subnets.
 */
export class AzureNatInstance extends pulumi.ComponentResource {
  /** Route table with 0.0.0.0/0 through the instance, for the clients' subnets. */
  readonly routeTableId: pulumi.Output<string>;
  /** Public addresses that servers see. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key; empty without a login. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AzureNatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AzureNatInstance", name, {}, opts);
    const ssh = optionalSshOf(name, args, this);
    const { resourceGroupName, location, subnetId, privateCidrs, size, zone, publicIpCount, tags } = args;
    const { image, adminUser, proximityPlacementGroupId, diskEncryptionSetId, acceleratedNetworking } = args;
    const passed: Passed<azure.NatInstanceArgs, typeof leftOut.AzureNatInstance> = {
      ...{ resourceGroupName, location, subnetId, privateCidrs, size, zone, publicIpCount, tags, ssh },
      ...{ image, adminUser, proximityPlacementGroupId, diskEncryptionSetId, acceleratedNetworking },
      publicIps: publicIpsOf(args.existingPublicIps),
      highAvailability: args.highAvailability ? {} : undefined,
      nat: natOptions(args),
    };
    const nat = new azure.NatInstance(name, passed, { parent: this });
    this.routeTableId = nat.routeTable.id;
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = optionalKey(ssh);
    this.registerOutputs({ routeTableId: this.routeTableId, publicIps: this.publicIps });
  }
}

/** Kind of a NAT gateway. */
enum AzureNatGatewaySku {
  /** In one zone. */
  Standard = "Standard",
  /** Zone-redundant; missing in a handful of regions. */
  StandardV2 = "StandardV2",
}

/** A public IP prefix that exists. */
interface AzurePublicIpPrefix {
  /** Resource id. */
  id: pulumi.Input<string>;
  /** Its block, such as 20.1.2.0/30. */
  cidr: pulumi.Input<string>;
}

/** Flat arguments of Azure's NatGatewayEgress. */
export interface AzureNatGatewayEgressArgs {
  /** Resource group of the resources. */
  resourceGroupName: pulumi.Input<string>;
  /** Region, such as japaneast. */
  location: pulumi.Input<string>;
  /** Kind of the gateway. Default: Standard. */
  sku?: AzureNatGatewaySku;
  /** Public addresses to make, 1 to 16; each is worth 64,512 ports. Default: 1, or none with a prefix. */
  publicIpCount?: number;
  /** Public addresses that exist already, of the gateway's kind, used instead of new ones. Default: new ones. */
  existingPublicIps?: pulumi.Input<AzurePublicIp>[];
  /** Length of a public IP prefix to make instead, 28 to 31. Default: none. */
  publicIpPrefixLength?: number;
  /** Public IP prefix that exists already, of the gateway's kind, used instead of a new one. Default: none. */
  existingPublicIpPrefix?: AzurePublicIpPrefix;
  /** IPv6 addresses to make, for StandardV2 only, 1 to 16. Default: none. */
  publicIpV6Count?: number;
  /** IPv6 addresses that exist already, used instead of new ones. Default: new ones. */
  existingPublicIpsV6?: pulumi.Input<AzurePublicIp>[];
  /** Whether IPv6 hosts reach IPv4 servers, for StandardV2 only. Default: false. */
  nat64?: boolean;
  /** Minutes after which an idle connection is forgotten, 4 to 120. Default: 4. */
  idleTimeoutMinutes?: number;
  /** Availability zone, for Standard only. Default: Azure's choice. */
  zone?: string;
  /** Tags of the resources. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A managed NAT gateway with its public addresses, to be attached to subnets of one virtual network. */
export class AzureNatGatewayEgress extends pulumi.ComponentResource {
  /** NAT gateway, for the clients' subnets. */
  readonly natGatewayId: pulumi.Output<string>;
  /** Public addresses that servers see. */
  readonly publicIps: pulumi.Output<string[]>;

  constructor(name: string, args: AzureNatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AzureNatGatewayEgress", name, {}, opts);
    const { resourceGroupName, location, publicIpCount, publicIpPrefixLength, zone, tags } = args;
    const { idleTimeoutMinutes, publicIpV6Count, nat64, sku = AzureNatGatewaySku.Standard } = args;
    const ofSku = (ips: AzureNatGatewayEgressArgs["existingPublicIps"]) =>
      publicIpsOf(ips)?.map((one) => ({ ...one, sku }));
    const passed: Passed<azure.NatGatewayEgressArgs, typeof leftOut.AzureNatGatewayEgress> = {
      ...{ resourceGroupName, location, publicIpCount, publicIpPrefixLength, zone, tags },
      ...{ idleTimeoutMinutes, publicIpV6Count, nat64, sku },
      publicIps: ofSku(args.existingPublicIps),
      publicIpsV6: ofSku(args.existingPublicIpsV6),
      publicIpPrefix: args.existingPublicIpPrefix,
    };
    const egress = new azure.NatGatewayEgress(name, passed, { parent: this });
    this.natGatewayId = egress.gateway.id;
    this.publicIps = egress.expectedSourceIps;
    this.registerOutputs({ natGatewayId: this.natGatewayId, publicIps: this.publicIps });
  }
}
