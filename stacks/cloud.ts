/**
 * A cloud's offer to a stack. One module per cloud (`stacks/azure.ts`, `aws.ts`, `local.ts`), loaded only when a
 * stack names it, since a cloud's SDK costs seconds and hundreds of megabytes.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { Deployment } from "../components/shared/egress.ts";
import type { SshKeyPair } from "../components/shared/ssh-key-pair.ts";

/** One entry of a stack's `topologies`: which topology, under which name, with which options of its own. */
export interface TopologyEntry {
  /** Unique within the stack; the topology's own name unless given. */
  readonly name: string;
  readonly topology: string;
  /** Already checked by the topology's schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The arguments that every cloud deploys from. */
export interface DeployRequest<Settings> {
  readonly stack: string;
  readonly topologies: readonly TopologyEntry[];
  /** The `egress-bench:<cloud>` section of the stack's configuration. */
  readonly settings: Settings;
  /** Clients, each with a server of its own, that every topology has. */
  readonly pairs: number;
  /** Operator's CIDR blocks that may reach SSH; undefined: to be found out. Not used by the lab. */
  readonly allowedCidrs: readonly string[] | undefined;
  /** Whether 0.0.0.0/0 among `allowedCidrs` is meant. */
  readonly allowAnywhere: boolean;
  /** The key that opens all hosts of the stack. */
  readonly operatorKey: SshKeyPair;
}

/** A cloud as stacks know it: its topologies, its settings, and how it deploys. */
export interface Cloud<Settings = unknown> {
  /** Option schema of each topology by its name; the registry, which holds each topology whose record names the cloud. */
  readonly topologies: Readonly<Record<string, z.ZodType<Record<string, unknown>>>>;
  /** Schema of the `egress-bench:<cloud>` section; `{}` must be valid. */
  readonly settings: z.ZodType<Settings>;
  /** Applied to each resource of a stack. @default none */
  readonly transformation?: pulumi.ResourceTransformation;
  deploy(request: DeployRequest<Settings>): Deployment;
}
