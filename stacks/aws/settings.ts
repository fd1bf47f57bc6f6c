/**
 * The `egress-bench:aws` section of a stack's configuration. The region is the provider's: `aws:region`.
 *
 * @module
 */
import { z } from "zod";

/** All have defaults; in words: `docs/aws.md`. */
export const settingsSchema = z.strictObject({
  /** Availability zone of all machines, such as us-east-1a. The region's first one unless given. */
  zone: z
    .string()
    .regex(/^[a-z0-9-]+[a-z]$/, "must be the name of an availability zone, such as us-east-1a")
    .optional(),
  /** Client and server of the published comparison (aws-fck-nat-2024-12). */
  clientInstanceType: z.string().default("c7g.8xlarge"),
  serverInstanceType: z.string().default("m7g.xlarge"),
  jumpInstanceType: z.string().default("t4g.nano"),
  /**
   * `small`: all machines of one vCPU, whatever their types say, and clients on spot where there are more than five machines,
   * so that every ready-made stack fits the 5 vCPUs of a new account. For trying things out: its figures compare with
   * nothing published.
   */
  size: z.enum(["as given", "small"]).default("as given"),
  /** Clients and servers close together, in a cluster placement group of the stack's own. T types cannot be in one. */
  placementGroup: z.boolean().default(false),
  /** Image of client, server and jump host, which must have its architecture. @default Ubuntu 24.04 */
  image: z
    .string()
    .regex(/^ami-[0-9a-f]+$/, "must be the id of an image, such as ami-0123456789abcdef0")
    .optional(),
  /** Default user of that image. */
  adminUser: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a Linux user name")
    .default("ubuntu"),
  /** VPCs are blocks of /18 of it: the server's, the clients', and one for each topology that needs its own. */
  addressSpace: z.string().default("10.64.0.0/12"),
  tags: z.record(z.string(), z.string()).default({}),
});

/** That section, checked, with its defaults. */
export type Settings = z.infer<typeof settingsSchema>;
