import { z } from "zod";

/** A TCP or UDP port. */
export const port = z.int().min(1).max(65535);

/** An IPv4 block. */
export const ipv4Block = z.cidrv4("must be an IPv4 block, such as 203.0.113.7/32");

/** One port of the machine itself, and the blocks that may reach it. */
export const inboundSchema = z.strictObject({
  protocol: z.enum(["tcp", "udp"]).meta({ description: "Protocol of the port." }),
  port: port.meta({ description: "Port of the machine itself." }),
  cidrs: z
    .array(ipv4Block)
    .min(1, "must name a block; leave the port out to close it")
    .readonly()
    .meta({ description: "IPv4 blocks that may reach it." }),
});

/** One port of the machine itself, and the blocks that may reach it. */
export type Inbound = Readonly<z.infer<typeof inboundSchema>>;
