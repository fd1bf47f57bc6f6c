/** Arguments that every AWS component takes, and how they name and own their resources. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type ArgsOf, resources, tags, text, texts } from "../shared/args-schema.ts";

/** Ids as a list, or as an output where their number decides nothing. */
export type Ids = readonly pulumi.Input<string>[] | pulumi.Output<string[]>;

/** Schemas of {@link AwsArgs}. */
export const awsShape = {
  /** Tags beside `Name`, which each resource gets. @default none */
  tags: tags.optional(),
};

/** Arguments of all components. The region is the provider's. */
export interface AwsArgs extends ArgsOf<typeof awsShape> {}

/** Schemas of {@link PublicSubnetArgs}. */
export const publicSubnetShape = {
  ...awsShape,
  /** VPC of the subnet. */
  vpcId: text,
  /** Public: its route table leads 0.0.0.0/0 to an internet gateway. */
  subnetId: text,
  /** Route table of that subnet. When given, its route to an internet gateway is checked. @default - not checked */
  publicRouteTableId: text.optional(),
  /**
   * The subnet's way to the internet, made in the same program: the internet gateway and its route. It is
   * created before and deleted after everything with a public address.
   *
   * @default - it exists already
   */
  internetReady: resources.optional(),
};

/** Where a component's public resources go. */
export interface PublicSubnetArgs extends ArgsOf<typeof publicSubnetShape> {}

/** Schema of {@link Ids}. */
export const ids = texts as unknown as z.ZodType<Ids>;

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
