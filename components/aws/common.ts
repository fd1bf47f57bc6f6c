/** Arguments that every AWS component takes, and how they name and own their resources. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { resources, type ShapeOf, tags, text, texts } from "../shared/args-schema.ts";

type Tags = pulumi.Input<Record<string, pulumi.Input<string>>>;

/** Ids in a list, or an output of one where their number decides nothing. */
export type Ids = readonly pulumi.Input<string>[] | pulumi.Output<string[]>;

/** Shared by all components. The region is the provider's. */
export interface AwsArgs {
  /** Beside `Name`, which each resource gets. @default none */
  readonly tags?: Tags | undefined;
}

/** Where a component's public resources go. */
export interface PublicSubnetArgs extends AwsArgs {
  /** VPC of the subnet. */
  readonly vpcId: pulumi.Input<string>;
  /** Public: its route table leads 0.0.0.0/0 to an internet gateway. */
  readonly subnetId: pulumi.Input<string>;
  /** Route table of that subnet. When given, its route to an internet gateway is checked. @default - not checked */
  readonly publicRouteTableId?: pulumi.Input<string> | undefined;
  /**
   * The subnet's way to the internet, made in the same program: the internet gateway and its route. It is
   * created before and deleted after all that has a public address.
   *
   * @default - it exists already
   */
  readonly internetReady?: readonly pulumi.Resource[] | undefined;
}

/** Schemas of {@link AwsArgs}. */
export const awsShape: ShapeOf<AwsArgs> = { tags: tags.optional() };

/** Schemas of {@link PublicSubnetArgs}. */
export const publicSubnetShape: ShapeOf<PublicSubnetArgs> = {
  ...awsShape,
  vpcId: text,
  subnetId: text,
  publicRouteTableId: text.optional(),
  internetReady: resources.optional(),
};

/** Schema of {@link Ids}. */
export const ids = texts as unknown as z.ZodType<Ids>;

/** A resource's tags: its name for people to find it by, and the given ones. */
export function tagsOf(name: string, { tags = {} }: AwsArgs): pulumi.Output<Record<string, string>> {
  return pulumi.output(tags).apply((given): Record<string, string> => ({ Name: name, ...given }));
}

/** An Elastic IP address, new or one's own. */
export interface PublicIp {
  /** Allocation id, `eipalloc-...`. */
  readonly id: pulumi.Input<string>;
  /** IPv4 address. */
  readonly address: pulumi.Input<string>;
}

/** Schema of {@link PublicIp}: `id` is the allocation's. */
export const publicIpSchema = z.strictObject({ id: text, address: text });

/** The message of a failed provider function: its own words come lines below the SDK's. */
export function oneLine(error: unknown): string {
  return (error as Error).message.split(/\s+/).join(" ").trim();
}
