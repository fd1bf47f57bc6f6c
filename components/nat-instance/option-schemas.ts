import { z } from "zod";
import { isBlock } from "../shared/cidr.ts";
import { idleDefaults } from "./idle-timeouts.ts";
import { DAYS } from "./operators/index.ts";

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

/** The option `portRange`. */
export const portRangeSchema = z
  .strictObject({
    first: port.meta({ description: "First port." }),
    last: port.meta({ description: "Last port, included." }),
  })
  .refine(({ first, last }) => first <= last, "must have first <= last")
  .optional()
  .meta({
    description:
      "Source ports that TCP and UDP flows are translated to. A small range provokes port exhaustion.",
    fallback: "the kernel's choice: 1024 to 65535 for flows from a port of 1024 or more",
  });

/** The option `portAllocation`. */
export const portAllocationSchema = z
  .enum(["random", "preserve"])
  .optional()
  .meta({
    description:
      "Source port of a translated flow. `random`: a new one for each destination, which outsiders cannot guess. " +
      "`preserve`: the client's own if it is free, the same for all destinations, as hole punching needs; see " +
      "[ports](../nat-instance.md#options).",
    fallback: "random; the data plane iptables preserves, as fck-nat's rule does",
  });

const seconds = (kind: keyof typeof idleDefaults, description: string) =>
  z
    .int()
    .min(10, "must be 10 to 432000 seconds")
    .max(432_000, "must be 10 to 432000 seconds")
    .optional()
    .meta({ description, default: idleDefaults[kind] });

/** The option `idleTimeouts`. */
export const idleTimeoutsSchema = z.strictObject({
  tcp: seconds("tcp", "Seconds of silence of an open TCP connection."),
  tcpHalfClosed: seconds("tcpHalfClosed", "Seconds of silence of a TCP connection that one side has closed."),
  udp: seconds("udp", "Seconds of silence of a UDP flow of several datagrams."),
  udpUnanswered: seconds("udpUnanswered", "Seconds that a single datagram's flow waits for an answer."),
});

/** When unattended upgrades run, and whether they may reboot the machine. */
export const upgradeWindowSchema = z
  .strictObject({
    at: z
      .string()
      .regex(
        new RegExp(`^((${DAYS.join("|")}) )?([01]\\d|2[0-3]):[0-5]\\d$`),
        "must be a time of day, such as 03:30, or of a week, such as Sun 03:30",
      )
      .meta({
        description:
          "`03:30` for each night, or `Sun 03:30`, in the machine's own time, which is UTC in a cloud.",
      }),
    reboot: z.boolean().optional().meta({
      description: "Whether the machine then reboots if an upgrade, such as a new kernel, needs it.",
      default: false,
    }),
  })
  .readonly();

/** Whether the blocks together are half of the IPv6 internet or more: only 2000::/3 is allocated. */
const isEverybodyOfIpv6 = (cidrs: readonly string[]) =>
  cidrs.reduce((sum, cidr) => sum + 2 ** -Number(cidr.split("/")[1]), 0) >= 2 ** -4;

/** Whether a router forwards a block's addresses: global, 2000::/3, and unique local, fc00::/7 (RFC 4291, 4193). */
function isOfHosts(block: string): boolean {
  const first = Number.parseInt(block, 16);
  const length = Number(block.split("/")[1]);
  return (first >>> 13 === 1 && length >= 3) || (first >>> 9 === 0x7e && length >= 7);
}

const ipv6Cidr = z
  .cidrv6({ error: "must be IPv6 blocks, such as 2001:db8:1::/64", abort: true })
  .refine(
    (block) => isOfHosts(block) || isEverybodyOfIpv6([block]),
    "has addresses that no host sends from; name the private blocks themselves",
  );

/** The option `privateIpv6Cidrs`. */
export const privateIpv6CidrsSchema = z
  .array(ipv6Cidr)
  .min(1, "must name a block; leave it out for none")
  .refine(
    (cidrs) => !isEverybodyOfIpv6(cidrs),
    "would forward for the whole internet; name the private blocks themselves",
  )
  .readonly()
  .optional()
  .meta({
    description:
      "IPv6 blocks whose hosts may go out through this machine, untranslated: replies and ICMPv6 errors come in, nothing else.",
    fallback: "IPv6 is not forwarded",
  });
