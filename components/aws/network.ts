import { InternetGateway } from "@pulumi/aws/ec2/internetGateway.js";
import { Route } from "@pulumi/aws/ec2/route.js";
import { RouteTable } from "@pulumi/aws/ec2/routeTable.js";
import { RouteTableAssociation } from "@pulumi/aws/ec2/routeTableAssociation.js";
import { Subnet } from "@pulumi/aws/ec2/subnet.js";
import { Vpc } from "@pulumi/aws/ec2/vpc.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, text } from "../shared/args-schema.ts";
import { invalid, named } from "../shared/arguments.ts";
import { cidrContains, cidrPrefix, cidrsOverlap } from "../shared/cidr.ts";
import { awsShape, tagsOf } from "./common.ts";

/** A subnet with the route table that decides its way out. */
export interface NetworkSubnet {
  readonly subnetId: pulumi.Output<string>;
  /** Route table that decides the subnet's way out. */
  readonly routeTableId: pulumi.Output<string>;
  /** Association of the route table with the subnet. */
  readonly associated: pulumi.Resource;
}

/** Range of prefixes that AWS takes for a VPC and for a subnet. */
const LARGEST = 16;
const SMALLEST = 28;

const networkSchema = z.strictObject({
  ...awsShape,
  /** Address space, such as `10.64.0.0/18`. Plain text, since subnets are checked against it at preview. */
  cidr: z.string(),
  /** Availability zone of all subnets, such as `us-east-1a`: traffic between zones costs time and money. */
  zone: text,
});

/** The network's address space and place. */
export interface NetworkArgs extends Readonly<z.infer<typeof networkSchema>> {}

/**
 * A VPC whose subnets are checked at preview: of a size that AWS takes, inside the VPC, not overlapping.
 *
 * Cost: none.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const network = new aws.Network("network", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
 * const outside = network.publicSubnet("public", "10.0.0.0/24");
 * const apps = network.privateSubnet("apps", "10.0.1.0/24");
 * export const appsSubnetId = apps.subnetId;
 * ```
 */
export class Network extends pulumi.ComponentResource {
  readonly vpcId: pulumi.Output<string>;
  /** Address space of the network. */
  readonly cidr: string;
  readonly #internetReady: pulumi.Resource[];
  readonly #name: string;
  readonly #args: NetworkArgs;
  readonly #publicRoutes: RouteTable;
  readonly #cidrs = new Map<string, string>();

  constructor(name: string, args: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:Network", name, {}, opts);
    checkArgs("Network", networkSchema, args);
    assertSize(args.cidr);
    const vpc = new Vpc(
      name,
      { cidrBlock: args.cidr, enableDnsHostnames: true, tags: tagsOf(name, args) },
      { parent: this },
    );
    this.vpcId = vpc.id;
    this.cidr = args.cidr;
    this.#name = name;
    this.#args = args;
    const gateway = new InternetGateway(
      `${name}-igw`,
      { vpcId: vpc.id, tags: tagsOf(`${name}-igw`, args) },
      // EC2 detaches no gateway from a VPC that still has public addresses.
      { parent: this, replaceOnChanges: ["vpcId"] },
    );
    this.#publicRoutes = this.#routeTable("public");
    const route = new Route(
      `${name}-public-default`,
      { routeTableId: this.#publicRoutes.id, destinationCidrBlock: "0.0.0.0/0", gatewayId: gateway.id },
      { parent: this },
    );
    this.#internetReady = [route];
    this.registerOutputs({ vpcId: this.vpcId });
  }

  /** The public subnets' way to the internet: created before, and deleted after, everything with a public address. */
  get internetReady(): readonly pulumi.Resource[] {
    return [...this.#internetReady];
  }

  /**
   * Adds a subnet whose 0.0.0.0/0 leads to the internet gateway.
   *
   * @param role Unique within the network, such as `public`.
   * @param zone Its availability zone. @default the network's
   * @throws {pulumi.InputPropertyError} when the subnet breaks a rule.
   */
  publicSubnet(role: string, cidr: string, zone?: pulumi.Input<string>): NetworkSubnet {
    const subnet = this.#subnet(role, cidr, this.#publicRoutes, zone);
    // Until it is associated, the subnet has the VPC's own routes, and no way out.
    this.#internetReady.push(subnet.associated);
    return subnet;
  }

  /** Adds a subnet with an empty route table of its own, as {@link Network.publicSubnet}. */
  privateSubnet(role: string, cidr: string): NetworkSubnet {
    this.#assertFits(cidr);
    return this.#subnet(role, cidr, this.#routeTable(role));
  }

  #subnet(
    role: string,
    cidr: string,
    routeTable: RouteTable,
    zone: pulumi.Input<string> = this.#args.zone,
  ): NetworkSubnet {
    this.#assertFits(cidr);
    this.#cidrs.set(role, cidr);
    const name = `${this.#name}-${role}`;
    const subnet = new Subnet(
      name,
      { vpcId: this.vpcId, cidrBlock: cidr, availabilityZone: zone, tags: tagsOf(name, this.#args) },
      // The old subnet holds the addresses that the new one may want.
      { parent: this, deleteBeforeReplace: true },
    );
    const associated = new RouteTableAssociation(
      name,
      { subnetId: subnet.id, routeTableId: routeTable.id },
      { parent: this },
    );
    return { subnetId: subnet.id, routeTableId: routeTable.id, associated };
  }

  #routeTable(role: string): RouteTable {
    const name = `${this.#name}-${role}`;
    return new RouteTable(name, { vpcId: this.vpcId, tags: tagsOf(name, this.#args) }, { parent: this });
  }

  #assertFits(cidr: string): void {
    assertSize(cidr);
    if (!cidrContains(this.cidr, cidr)) {
      throw invalid("cidr", `subnet ${cidr} is not inside the VPC's ${this.cidr}; choose a block of it`);
    }
    for (const [role, other] of this.#cidrs) {
      if (cidrsOverlap(cidr, other)) {
        throw invalid("cidr", `subnet ${cidr} overlaps ${other} of subnet "${role}"; choose another block`);
      }
    }
  }
}

function assertSize(cidr: string): void {
  const prefix = named("cidr", () => cidrPrefix(cidr));
  if (prefix < LARGEST || prefix > SMALLEST) {
    throw invalid("cidr", `${cidr} is a /${prefix}; AWS takes /${LARGEST} to /${SMALLEST}`);
  }
}
