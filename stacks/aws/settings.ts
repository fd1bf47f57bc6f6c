/** The `egress-bench:aws` section of a stack's configuration. The region is the provider's: `aws:region`. */
import { z } from "zod";
import { defaultBenchSizes } from "../../bench/machines/index.ts";

const { client, server, jump } = defaultBenchSizes.aws;

/** All settings have defaults; docs: `docs/aws.md`. */
export const settingsSchema = z.strictObject({
  zone: z
    .string()
    .regex(/^[a-z0-9-]+[a-z]$/, "must be the name of an availability zone, such as us-east-1a")
    .optional()
    .describe("Availability zone of all machines, such as us-east-1a. The region's first one unless given."),
  clientInstanceType: z
    .string()
    .default(client)
    .describe(
      "Instance type of clients. The default is that of the published comparison (aws-fck-nat-2024-12).",
    ),
  serverInstanceType: z.string().default(server).describe("Instance type of servers."),
  jumpInstanceType: z.string().default(jump).describe("Instance type of jump hosts."),
  size: z
    .enum(["as given", "small"])
    .default("as given")
    .describe(
      "`small`: all machines of one vCPU, whatever their types say, and clients on spot where there are more " +
        "than five machines, so that every ready-made stack fits the 5 vCPUs of a new account. For trying things " +
        "out: its figures cannot be compared with published ones.",
    ),
  placementGroup: z
    .boolean()
    .default(false)
    .describe("Whether clients and servers share a cluster placement group. T types cannot be in one."),
  image: z
    .string()
    .regex(/^ami-[0-9a-f]+$/, "must be the id of an image, such as ami-0123456789abcdef0")
    .optional()
    .describe(
      "Image of client, server and jump host, which must be of its architecture. Ubuntu 24.04 unless given.",
    ),
  adminUser: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a Linux user name")
    .default("ubuntu")
    .describe("Default user of that image."),
  addressSpace: z
    .string()
    .default("10.64.0.0/12")
    .describe(
      "Block whose /18 blocks are the VPCs: the server's, the clients', and one for each topology that needs its own.",
    ),
  tags: z.record(z.string(), z.string()).default({}).describe("Tags of all resources."),
});

export type Settings = z.infer<typeof settingsSchema>;
