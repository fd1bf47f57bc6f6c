/**
 * Interface of a cloud to stacks. One module per cloud (`stacks/azure.ts`, `aws.ts`, `local.ts`), loaded only when a stack
 * names it, since a cloud's SDK costs seconds and hundreds of megabytes.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { Deployment } from "../components/shared/egress.ts";
import type { SshKeyPair } from "../components/shared/ssh-key-pair.ts";
import type { Inventory, StackContent } from "./inventory.ts";

export interface DeployRequest<Settings> extends StackContent<Settings> {
  readonly stack: string;
  /** Blocks that may reach SSH. Empty for the lab and for hosts that exist. */
  readonly allowedCidrs: readonly string[];
  /** The key that opens all hosts of the stack. */
  readonly operatorKey: SshKeyPair;
}

export interface Cloud<Settings = unknown> {
  /** Option schema of each topology by its name: the registry of all topologies whose record names the cloud. */
  readonly topologies: Readonly<Record<string, z.ZodType<Record<string, unknown>>>>;
  /** Schema of the `egress-bench:<cloud>` section; `{}` must be valid. */
  readonly settings: z.ZodType<Settings>;
  /** Transformation of each resource of a stack. @default none */
  readonly transformation?: pulumi.ResourceTransformation;
  /** The content of a stack. @default unknown: the cloud has no prices and no quotas */
  inventory?(request: StackContent<Settings>): Inventory;
  deploy(request: DeployRequest<Settings>): Deployment;
}
