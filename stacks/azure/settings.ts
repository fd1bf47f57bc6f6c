/**
 * The `egress-bench:azure` section of a stack's configuration.
 *
 * @module
 */
import { z } from "zod";

const imageSchema = z.strictObject({
  publisher: z.string(),
  offer: z.string(),
  sku: z.string(),
  version: z.string(),
});

/** Client and server of the published comparison (azure-nat-2025-11). */
const BENCH_SIZE = "Standard_D8ls_v5";

/** All have defaults; in words: `docs/azure.md`. */
export const settingsSchema = z.strictObject({
  /** Region. */
  location: z.string().min(1).default("japaneast"),
  /** Region of the server. The client's unless given. */
  serverLocation: z.string().min(1).optional(),
  clientSize: z.string().default(BENCH_SIZE),
  serverSize: z.string().default(BENCH_SIZE),
  jumpSize: z.string().default("Standard_B2ats_v2"),
  /**
   * `small`: all machines of one vCPU, whatever their sizes say, so that a stack fits a new subscription's quota of vCPUs.
   * For trying things out: its figures compare with nothing published.
   */
  size: z.enum(["as given", "small"]).default("as given"),
  /** Accelerated networking of client and server. @default where the size has it */
  acceleratedNetworking: z.boolean().optional(),
  /** Zone of all machines. @default Azure's choice */
  zone: z.enum(["1", "2", "3"]).optional(),
  /** All machines in one proximity placement group, as near to each other as Azure has room; of stacks of one region. */
  proximityPlacementGroup: z.boolean().default(false),
  /** Image of all machines. @default Ubuntu 24.04, pinned */
  image: imageSchema.optional(),
  adminUser: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a Linux user name")
    .default("azureuser"),
  /** Networks are blocks of /20 of it: one for the server, two a topology. */
  addressSpace: z.string().default("10.64.0.0/12"),
  tags: z.record(z.string(), z.string()).default({}),
});

/** That section, checked, with its defaults. */
export type Settings = z.infer<typeof settingsSchema>;
