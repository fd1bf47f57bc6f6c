import { z } from "zod";
import { isBlock } from "../shared/cidr.ts";

export const port = z.int().min(1).max(65535);

/** An IPv4 block. With host bits, 1.2.3.4/0 would be the whole internet, which no check of such blocks would notice. */
export const ipv4Block = z
  .cidrv4({ error: "must be an IPv4 block, such as 203.0.113.7/32", abort: true })
  .refine(isBlock, "has host bits set; write the first address of the block, such as 203.0.113.0/24");

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

/** One port outside that leads to a private host, and the blocks that may use it. */
export const forwardSchema = z.strictObject({
  protocol: z.enum(["tcp", "udp"]).optional().meta({ description: "Protocol of the port.", default: "tcp" }),
  port: port.meta({ description: "Port of the machine's own addresses." }),
  to: z
    .string()
    .regex(
      /^\d{1,3}(\.\d{1,3}){3}(:[1-9]\d{0,4})?$/,
      "must be a private host's address, with a port if it is another, such as 10.0.1.5:8080",
    )
    .meta({ description: "Private host, such as `10.0.1.5`, or `10.0.1.5:8080` where its port is another." }),
  from: z
    .array(ipv4Block)
    .min(1, "must name a block; leave the port out to close it")
    .readonly()
    .meta({ description: "IPv4 blocks that may use it. The host sees their addresses." }),
});
