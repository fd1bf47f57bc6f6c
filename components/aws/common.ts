/** Arguments that every AWS component takes, and how they name and own their resources. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type ArgsOf, countWithin, resources, tags, text, texts } from "../shared/args-schema.ts";

/** Ids as a list, or as an output where their number decides nothing. */
export type Ids = readonly pulumi.Input<string>[] | pulumi.Output<string[]>;

export const awsShape = {
  tags: tags
    .optional()
    .meta({ description: "Tags beside `Name`, which each resource gets.", fallback: "none" }),
};

/** Arguments of all components. The region is the provider's. */
export interface AwsArgs extends ArgsOf<typeof awsShape> {}

export const publicSubnetShape = {
  ...awsShape,
  vpcId: text.meta({ description: "VPC of the subnet." }),
  subnetId: text.meta({
    description: "Public subnet: its route table leads 0.0.0.0/0 to an internet gateway.",
  }),
  publicRouteTableId: text.optional().meta({
    description: "Route table of that subnet. When given, its route to an internet gateway is checked.",
    fallback: "not checked",
  }),
  internetReady: resources.optional().meta({
    description:
      "The subnet's way to the internet where the same program makes it: the internet gateway and its route. It is " +
      "created before and deleted after everything with a public address.",
    fallback: "it exists already",
  }),
};

/** Where a component's public resources go. */
export interface PublicSubnetArgs extends ArgsOf<typeof publicSubnetShape> {}

export const ids = texts as unknown as z.ZodType<Ids>;

/** Route tables of a VPC, unless AWS has raised the quota. */
const MAX_ROUTE_TABLES = 1000;

export const privateRoutesShape = {
  privateRouteTableIds: ids.meta({
    description:
      "Route tables of the clients' subnets; each gets a route 0.0.0.0/0. A list, or an output of one with its " +
      "`privateRouteTableCount`.",
  }),
  privateRouteTableCount: countWithin(0, MAX_ROUTE_TABLES).meta({
    description:
      "Number of route tables where `privateRouteTableIds` is an output: the number of routes must be known before the output.",
    fallback: "the list's length",
  }),
};

/** Route tables whose default route leads to an egress. */
export interface PrivateRoutesArgs extends ArgsOf<typeof privateRoutesShape> {}

export const machineShape = {
  /** Such as `c7g.8xlarge`. Passed through to AWS; its name tells the architecture. */
  instanceType: text,
  /** Id of an image of the instance type's architecture. @default Ubuntu 24.04, kept as it was first found */
  image: text.optional(),
  /** The image's default user. @default ubuntu */
  adminUser: text.optional(),
  placementGroup: text.optional().meta({
    description: "Name of a placement group. T types go into none of strategy `cluster`.",
    fallback: "none",
  }),
};

/** A machine's settings, except for its place in the network. */
export interface MachineArgs extends ArgsOf<typeof machineShape> {}

/** A resource's tags: its name for people to find it by, and the given ones. */
export function tagsOf(name: string, { tags = {} }: AwsArgs): pulumi.Output<Record<string, string>> {
  return pulumi.output(tags).apply((given): Record<string, string> => ({ Name: name, ...given }));
}

/** Schema of {@link PublicIp}: `id` is the allocation's. */
export const publicIpSchema = z.strictObject({
  /** Allocation id, `eipalloc-...`. */
  id: text,
  /** IPv4 address. */
  address: text,
});

/** An Elastic IP address, new or existing. */
export interface PublicIp extends Readonly<z.infer<typeof publicIpSchema>> {}

/** The message of a failed provider function. Its own words stand lines below the SDK's. */
export function oneLine(error: unknown): string {
  return (error as Error).message.split(/\s+/).join(" ").trim();
}

/** Path and permissions boundary of a component's roles. */
export const rolesSchema = z
  .strictObject({
    path: text.optional().meta({
      description: "Path, such as `/network/`. A change makes new roles and profiles.",
      default: "/",
    }),
    permissionsBoundary: text.optional().meta({
      description: "ARN of the permissions boundary of the roles.",
      fallback: "none",
    }),
  })
  .readonly();

/** Path and permissions boundary of a component's roles. */
export type RolesArgs = z.infer<typeof rolesSchema>;
