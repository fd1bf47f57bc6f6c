import {
  type GetVirtualNetworkResult,
  getVirtualNetwork,
} from "@pulumi/azure-native/network/getVirtualNetwork.js";
import { Subnet } from "@pulumi/azure-native/network/subnet.js";
import { VirtualNetwork } from "@pulumi/azure-native/network/virtualNetwork.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, objectOf, text } from "../shared/args-schema.ts";
import { invalid, named } from "../shared/arguments.ts";
import { cidrContains, cidrPrefix, cidrsOverlap } from "../shared/cidr.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { azureShape, child, placement, subResource } from "./common.ts";
import { type AzureAttachment, assertOneWayOut } from "./egress.ts";

/** A virtual network, made here or elsewhere. */
export interface VirtualNetworkRef {
  readonly resourceGroupName: pulumi.Input<string>;
  /** Region of the network, such as `japaneast`. */
  readonly location: pulumi.Input<string>;
  readonly id: pulumi.Input<string>;
  /** Its name in Azure. */
  readonly vnetName: pulumi.Input<string>;
  /** Its address space. */
  readonly cidr: string;
  /** Makes a write to the network wait for the earlier ones. @default no order */
  readonly inTurn?:
    | (<T extends pulumi.Resource>(write: (after: readonly pulumi.Resource[]) => T) => T)
    | undefined;
}

/**
 * Orders writes to networks: Azure refuses a second one meanwhile (`AnotherOperationInProgress`), and the provider retries
 * only after 20, 60 and 120 seconds.
 */
export function inTurn<T extends pulumi.Resource>(
  networks: readonly VirtualNetworkRef[],
  write: (after: readonly pulumi.Resource[]) => T,
): T {
  const [first, ...others] = networks;
  if (first === undefined) {
    return write([]);
  }
  const wait = first.inTurn ?? ((make) => make([]));
  return wait((after) => inTurn(others, (more) => write([...after, ...more])));
}

/** Refuses two networks whose addresses overlap. @throws {pulumi.InputPropertyError} */
export function assertDistinct(client: VirtualNetworkRef, server: VirtualNetworkRef): void {
  if (named("serverNetwork.cidr", () => cidrsOverlap(client.cidr, server.cidr))) {
    throw invalid(
      "serverNetwork.cidr",
      `${server.cidr} overlaps the client network's ${client.cidr}, so packets between them would not leave either network; choose another block`,
    );
  }
}

/** A subnet's block and its way out. */
export interface SubnetArgs {
  /** Block inside the network's, /29 or larger, such as `10.64.0.0/24`. */
  readonly cidr: string;
  /** @default - generated */
  readonly subnetName?: keyof typeof smallestPrefix | undefined;
  /** How machines in it reach the internet. @default they do not */
  readonly attachment?: AzureAttachment | undefined;
}

/** Longest prefix of the subnets whose names Azure reserves. Source: the services' own documentation. */
const smallestPrefix = {
  AzureFirewallSubnet: 26,
  AzureFirewallManagementSubnet: 26,
  GatewaySubnet: 27,
} as const;

/** What takes a subnet's internet traffic before the public addresses of its machines do. */
export type OtherWayOut = "route" | "NAT gateway" | "none";

/** Such ways out of this program's subnets, by subnet id. */
const otherWaysOut = new WeakMap<pulumi.Output<string>, OtherWayOut>();

/** The other way out of a {@link Network}'s subnet; undefined for any other subnet. */
export function otherWayOut(subnetId: pulumi.Input<string>): OtherWayOut | undefined {
  return pulumi.Output.isInstance(subnetId) ? otherWaysOut.get(subnetId as pulumi.Output<string>) : undefined;
}

/** Smallest subnet: Azure reserves five addresses of each. */
const SMALLEST_SUBNET = 29;

export const networkRefSchema = objectOf<VirtualNetworkRef>("a Network", "cidr");

type SubnetThere = NonNullable<GetVirtualNetworkResult["subnets"]>[number];

export function ipv4Blocks({ addressPrefix, addressPrefixes = [] }: SubnetThere): string[] {
  return [addressPrefix ?? [], addressPrefixes].flat().filter((block) => !block.includes(":"));
}

const networkSchema = z.strictObject({
  ...azureShape,
  /** Address space, such as `10.64.0.0/20`. Plain text, since subnets are checked against it at preview. */
  cidr: z.string(),
  /** A virtual network that exists already and only gets subnets. @default a new one */
  existing: z.strictObject({ id: text, name: text }).optional(),
});

/** The network's address space and place. */
export interface NetworkArgs extends Readonly<z.infer<typeof networkSchema>> {}

/**
 * A virtual network, new or existing, whose subnets are checked at preview: inside the address space, not
 * overlapping, large enough, and with one way out each.
 *
 * Cost: none.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const network = new azure.Network("network", { resourceGroupName: group.name, location: group.location, cidr: "10.0.0.0/16" });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24" });
 * export const appsSubnetId = apps.id;
 * ```
 */
export class Network extends pulumi.ComponentResource implements VirtualNetworkRef {
  readonly resourceGroupName: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** Resource id of the virtual network. */
  readonly id: pulumi.Output<string>;
  readonly vnetName: pulumi.Output<string>;
  readonly cidr: string;
  readonly #args: NetworkArgs;
  readonly #cidrs = new Map<string, string>();
  #last: pulumi.Resource | undefined;
  /** The network as Azure has it at present. */
  #there: ReturnType<typeof getVirtualNetwork> | undefined;

  constructor(name: string, args: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:Network", name, {}, opts);
    checkArgs("Network", networkSchema, args);
    named("cidr", () => cidrPrefix(args.cidr));
    this.#args = args;
    this.cidr = args.cidr;
    this.resourceGroupName = args.resourceGroupName;
    this.location = args.location;
    const vnet =
      args.existing ??
      new VirtualNetwork(
        name,
        { ...placement(args), addressSpace: { addressPrefixes: [args.cidr] } },
        child(this),
      );
    this.id = pulumi.output(vnet.id);
    this.vnetName = args.existing === undefined ? this.#around(vnet.name) : pulumi.output(vnet.name);
    this.registerOutputs({ id: this.id, vnetName: this.vnetName });
  }

  /** Makes a write to the network wait for the one before it. */
  readonly inTurn = <T extends pulumi.Resource>(write: (after: readonly pulumi.Resource[]) => T): T => {
    const made = write(this.#last === undefined ? [] : [this.#last]);
    this.#last = made;
    return made;
  };

  /**
   * Adds a subnet. Subnets of a network are written in the order in which they are added.
   * @param name Name of the resource.
   * @throws {pulumi.InputPropertyError} when the subnet breaks a rule.
   */
  subnet(name: string, args: SubnetArgs): Subnet {
    const attachment = args.attachment ?? {};
    this.#check(args);
    assertOneWayOut(attachment);
    this.#cidrs.set(name, args.cidr);
    const { natGatewayId, routeTableId, defaultOutboundAccess } = attachment;
    const inputs = {
      resourceGroupName: this.#args.resourceGroupName,
      virtualNetworkName: this.#with(name, args),
      addressPrefix: args.cidr,
      // Set explicitly: the API versions' default changed in 2025.
      defaultOutboundAccess: defaultOutboundAccess ?? false,
      subnetName: args.subnetName,
      natGateway: subResource(natGatewayId),
      routeTable: subResource(routeTableId),
    };
    // Azure changes the block only of an empty subnet. The new subnet is created first, and machines move there in turn;
    // deleting a subnet with a machine in it would fail. A subnet with a reserved name cannot exist twice.
    const replaceOnChanges = args.subnetName === undefined ? ["addressPrefix"] : [];
    const subnet = this.inTurn(
      (after) => new Subnet(name, inputs, { parent: this, dependsOn: [...after], replaceOnChanges }),
    );
    const other = routeTableId === undefined ? "none" : "route";
    otherWaysOut.set(subnet.id, natGatewayId === undefined ? other : "NAT gateway");
    return subnet;
  }

  /** The network's name. A preview refuses an address space that leaves out an existing subnet, as Azure does. */
  #around(vnetName: pulumi.Input<string>): pulumi.Output<string> {
    return this.#checkedByThere(vnetName, ({ subnets = [] }) => {
      const outside = subnets.find((one) => ipv4Blocks(one).some((block) => !cidrContains(this.cidr, block)));
      if (outside !== undefined) {
        throw invalid(
          "cidr",
          `${this.cidr} leaves out ${ipv4Blocks(outside)} of ${outside.name}, which still exists; change to a block that holds the former and the new subnets, run pulumi up, move the subnets, run pulumi up, then change to this one, or make another network`,
        );
      }
    });
  }

  /** The network's name, checked at preview against Azure's present network. */
  #checkedByThere(
    vnetName: pulumi.Input<string>,
    check: (there: GetVirtualNetworkResult) => void,
  ): pulumi.Output<string> {
    return checkedAtPreview(
      pulumi.all([vnetName, this.resourceGroupName]),
      async ([virtualNetworkName, resourceGroupName]) => {
        this.#there ??= getVirtualNetwork({ virtualNetworkName, resourceGroupName }, { parent: this });
        return await this.#there;
      },
      check,
    ).apply(([known]) => known);
  }

  /**
   * The network's name. A preview refuses a subnet whose block overlaps an existing one: Azure refuses that in any order.
   */
  #with(name: string, { cidr, subnetName }: SubnetArgs): pulumi.Output<string> {
    return this.#checkedByThere(this.vnetName, ({ subnets = [] }) => {
      const others = subnets.filter((one) => one.name !== subnetName && !this.#isOwn(name, cidr, one));
      const taken = others.find((one) => ipv4Blocks(one).some((block) => cidrsOverlap(block, cidr)));
      if (taken !== undefined) {
        throw invalid(
          "cidr",
          `subnet ${cidr} overlaps ${ipv4Blocks(taken)} of ${taken.name}, which stays until the new one is there; change to a block that overlaps none, run pulumi up, then change to this one`,
        );
      }
    });
  }

  /**
   * Whether an existing subnet is the one of this name: it has its block, and no other subnet of the program has its name.
   */
  #isOwn(name: string, cidr: string, there: SubnetThere): boolean {
    const others = [...this.#cidrs.keys()].filter((other) => other !== name);
    const isNamed = (other: string) =>
      there.name?.startsWith(other) && /^[0-9a-f]{8}$/.test(there.name.slice(other.length));
    return ipv4Blocks(there).includes(cidr) && !others.some(isNamed);
  }

  #check({ cidr, subnetName, attachment }: SubnetArgs): void {
    if (!named("cidr", () => cidrContains(this.cidr, cidr))) {
      throw invalid("cidr", `subnet ${cidr} is not inside the network's ${this.cidr}; choose a block of it`);
    }
    const longest = subnetName === undefined ? SMALLEST_SUBNET : smallestPrefix[subnetName];
    if (cidrPrefix(cidr) > longest) {
      throw invalid(
        "cidr",
        `subnet ${subnetName ?? ""} ${cidr} is too small; Azure wants /${longest} or larger`.replace(
          "  ",
          " ",
        ),
      );
    }
    if (
      subnetName === "GatewaySubnet" &&
      (attachment?.natGatewayId ?? attachment?.routeTableId) !== undefined
    ) {
      throw invalid(
        "attachment",
        "GatewaySubnet takes neither a NAT gateway nor a 0.0.0.0/0 route; leave it out",
      );
    }
    for (const [name, other] of this.#cidrs) {
      if (cidrsOverlap(cidr, other)) {
        throw invalid("cidr", `subnet ${cidr} overlaps ${other} of subnet "${name}"; choose another block`);
      }
    }
  }
}
