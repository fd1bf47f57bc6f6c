/** The `egress-bench:azure` section of a stack's configuration. */
import { z } from "zod";
import { defaultBenchSizes } from "../../bench/machines/index.ts";
import { imageSchema } from "../../components/azure/image.ts";

const { client, server, jump } = defaultBenchSizes.azure;

/** All settings have defaults; docs: `docs/azure.md`. */
export const settingsSchema = z.strictObject({
  location: z.string().min(1).default("japaneast").describe("Region."),
  serverLocation: z.string().min(1).optional().describe("Region of the server. The client's unless given."),
  clientSize: z.string().default(client).describe("Machine size of clients."),
  serverSize: z.string().default(server).describe("Machine size of servers."),
  jumpSize: z.string().default(jump).describe("Machine size of jump hosts."),
  size: z
    .enum(["as given", "small"])
    .default("as given")
    .describe(
      "`small`: all machines of one vCPU, whatever their sizes say, so that a stack fits a new subscription's " +
        "quota of vCPUs. For trying things out: its figures cannot be compared with published ones.",
    ),
  acceleratedNetworking: z
    .boolean()
    .optional()
    .describe("Accelerated networking of client and server. Default: on where the size has it."),
  zone: z
    .enum(["1", "2", "3"])
    .optional()
    .describe("Availability zone of all machines. Azure's choice unless given."),
  proximityPlacementGroup: z
    .boolean()
    .default(false)
    .describe(
      "Puts all machines into one proximity placement group, as close together as Azure has room. Only for " +
        "stacks of one region.",
    ),
  image: imageSchema.optional().describe("Image of all machines. Ubuntu 24.04, pinned, unless given."),
  adminUser: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a Linux user name")
    .default("azureuser")
    .describe("User to log in as: the image's default one."),
  addressSpace: z
    .string()
    .default("10.64.0.0/12")
    .describe("Block whose /20 blocks are the networks: one for the server, two per topology."),
  tags: z.record(z.string(), z.string()).default({}).describe("Tags of all resources."),
});

export type Settings = z.infer<typeof settingsSchema>;
