/**
 * Paths between private addresses. Their client has a public address too, for logins and packages, that no test uses.
 */
import type * as pulumi from "@pulumi/pulumi";
import { type ShapeOf, text } from "../shared/args-schema.ts";
import type { AwsArgs } from "./common.ts";
import { awsShape } from "./common.ts";

/** The client of a path between private addresses. */
export interface PrivatePathArgs extends AwsArgs {
  /** The client's private address, which the server must see. */
  readonly clientAddress: pulumi.Input<string>;
}

/** Schemas of {@link PrivatePathArgs}. */
export const privatePathShape: ShapeOf<PrivatePathArgs> = { ...awsShape, clientAddress: text };
