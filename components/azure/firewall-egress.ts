import { AzureFirewall } from "@pulumi/azure-native/network/azureFirewall.js";
import { FirewallPolicy } from "@pulumi/azure-native/network/firewallPolicy.js";
import { FirewallPolicyRuleCollectionGroup } from "@pulumi/azure-native/network/firewallPolicyRuleCollectionGroup.js";
import type { RouteTable } from "@pulumi/azure-native/network/routeTable.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AZURE_IDLE_SECONDS, limits } from "../../bench/topologies/limits.ts";
import { checkArgs, text, texts } from "../shared/args-schema.ts";
import { checked, invalid } from "../shared/arguments.ts";
import { refusedWith } from "../shared/preview-check.ts";
import { azureShape, child, placement } from "./common.ts";
import { type AzureAttachment, type AzureEgress, routesThrough } from "./egress.ts";
import { withOwnWayOut } from "./own-way-out.ts";
import { publicIp, publicIpShape, publicIpsOf } from "./public-ip.ts";

/** Tiers and their highest throughput: Basic 0.25, Standard 30, Premium 100 Gbit/s. */
export type FirewallTier = NonNullable<FirewallEgressArgs["tier"]>;

const published = limits.azure.firewall;
const addresses = publicIpShape(published.addressesPerGateway);

/** A firewall takes up to half an hour to come or go. */
const customTimeouts = { create: "60m", update: "60m", delete: "60m" };

export const firewallEgressSchema = z.strictObject({
  ...azureShape,
  ...addresses,
  publicIpCount: addresses.publicIpCount.meta({
    description: "Public addresses; each is worth 2,496 ports an instance.",
    default: 1,
  }),
  tier: z
    .enum(["Basic", "Standard", "Premium"])
    .optional()
    .meta({ description: "Tier of the firewall.", default: "Standard" }),
  /** A subnet named exactly `AzureFirewallSubnet`, /26 or larger. */
  subnetId: text,
  /** Addresses of the NAT gateway that this subnet has, which everything leaves by. @default - the subnet has none */
  natGatewayIps: texts.optional(),
  /** A subnet named exactly `AzureFirewallManagementSubnet`, /26 or larger; tier `Basic` needs it. @default none */
  managementSubnetId: text.optional(),
  /** CIDR blocks of the subnets whose hosts may go out through the firewall. */
  privateCidrs: texts,
});

/** The firewall's tier, and the subnets that it needs. */
export interface FirewallEgressArgs extends Readonly<z.infer<typeof firewallEgressSchema>> {}

/**
 * Azure Firewall with a policy that lets the clients' TCP and UDP out, and a route table for their subnets.
 *
 * Cost (USD, pay as you go): an hour Basic 0.395, Standard 1.25, Premium 1.75; a GB Basic 0.065, else 0.016.
 * It is the most expensive way out of a subnet: destroy it when the figures are in.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const egress = new azure.FirewallEgress("firewall", {
 *   resourceGroupName: group.name, location: group.location,
 *   subnetId: network.subnet("firewall", { cidr: "10.0.0.0/26", subnetName: "AzureFirewallSubnet" }).id,
 *   privateCidrs: ["10.0.1.0/24"],
 * });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24", attachment: egress.attachment });
 * ```
 */
export class FirewallEgress extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "firewall";
  readonly firewall: AzureFirewall;
  /** 0.0.0.0/0 through the firewall, for the clients' subnets. */
  readonly routeTable: RouteTable;
  readonly attachment: AzureAttachment;
  /** TCP idle timeout, Azure's default. */
  readonly idleTimeoutSeconds = AZURE_IDLE_SECONDS;
  readonly kind: string;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string[]>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: FirewallEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:FirewallEgress", name, {}, opts);
    checkArgs("FirewallEgress", firewallEgressSchema, args);
    const { tier = "Standard", natGatewayIps } = args;
    const named = checked(args.subnetId, mustBeNamed("subnetId", "AzureFirewallSubnet"));
    const instead = ", or give the gateway's addresses as natGatewayIps";
    const subnetId = natGatewayIps
      ? named
      : refusedWith(pulumi.output(named), [
          pulumi.output(withOwnWayOut("subnetId", args.subnetId, this, instead)),
        ]);
    if (tier === "Basic" && args.managementSubnetId === undefined) {
      throw invalid(
        "managementSubnetId",
        "tier Basic needs a subnet named AzureFirewallManagementSubnet, /26 or larger; give its id",
      );
    }
    this.kind = tier;
    const policy = new FirewallPolicy(
      `${name}-policy`,
      { ...placement(args), sku: { tier } },
      child(this, { replaceOnChanges: ["sku"] }),
    );
    const rules = this.#rules(name, args, policy);
    const ips = publicIpsOf(name, args, this);
    this.firewall = new AzureFirewall(
      name,
      {
        ...placement(args),
        sku: { name: "AZFW_VNet", tier },
        firewallPolicy: { id: policy.id },
        ipConfigurations: ipConfigurations(subnetId, ips),
        ...this.#management(name, args, tier),
      },
      // Azure refuses a change of a policy or of its firewall while the other is being built.
      child(this, {
        dependsOn: [rules],
        replaceOnChanges: ["sku"],
        deleteBeforeReplace: true,
        customTimeouts,
      }),
    );
    const privateAddress = this.firewall.ipConfigurations.apply(
      ([first] = []) => first?.privateIPAddress ?? "",
    );
    this.routeTable = routesThrough("firewall", name, args, privateAddress, child(this));
    this.attachment = { routeTableId: this.routeTable.id };
    this.expectedSourceIps = pulumi.output(natGatewayIps ?? ips.map(({ address }) => address));
    this.ready = [this.firewall, this.routeTable];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  #rules(name: string, args: FirewallEgressArgs, policy: FirewallPolicy): FirewallPolicyRuleCollectionGroup {
    return new FirewallPolicyRuleCollectionGroup(
      `${name}-rules`,
      {
        resourceGroupName: args.resourceGroupName,
        firewallPolicyName: policy.name,
        priority: 100,
        ruleCollections: [
          {
            ruleCollectionType: "FirewallPolicyFilterRuleCollection",
            name: "clients",
            priority: 100,
            action: { type: "Allow" },
            rules: [
              {
                ruleType: "NetworkRule",
                name: "out",
                ipProtocols: ["TCP", "UDP"],
                sourceAddresses: args.privateCidrs,
                destinationAddresses: ["*"],
                destinationPorts: ["*"],
              },
            ],
          },
        ],
      },
      { parent: this },
    );
  }

  #management(name: string, args: FirewallEgressArgs, tier: FirewallTier) {
    if (tier !== "Basic" || args.managementSubnetId === undefined) {
      return {};
    }
    const ip = publicIp(`${name}-management-ip`, args, this);
    const subnetId = checked(
      args.managementSubnetId,
      mustBeNamed("managementSubnetId", "AzureFirewallManagementSubnet"),
    );
    return {
      managementIpConfiguration: {
        name: "management",
        subnet: { id: subnetId },
        publicIPAddress: { id: ip.id },
      },
    };
  }
}

/** Azure knows the firewall's subnets by their names. */
function mustBeNamed(argument: string, subnetName: string): (id: string) => void {
  return (id) => {
    if (!id.endsWith(`/subnets/${subnetName}`)) {
      throw invalid(argument, `the subnet must be named ${subnetName}; got ${id}`);
    }
  };
}

function ipConfigurations(subnetId: pulumi.Input<string>, ips: ReturnType<typeof publicIpsOf>) {
  return ips.map((ip, index) => ({
    name: `public-${index + 1}`,
    publicIPAddress: { id: ip.id },
    // Azure wants the subnet in one configuration only.
    subnet: index === 0 ? { id: subnetId } : undefined,
  }));
}
