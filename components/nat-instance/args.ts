/** The options of a NAT instance, and their checks. */
import { isIPv4 } from "node:net";
import { z } from "zod";
import { dataPlaneSchema } from "../../bench/results/hosts.ts";
import { pathText, problemsOf, problemText } from "../../bench/validate.ts";
import { cidrContains, cidrsOverlap, isBlock, isEverybody, parseCidr } from "../shared/cidr.ts";
import { checkSchema, highAvailabilitySchema } from "./high-availability-args.ts";
import { idleDefaults } from "./idle-timeouts.ts";
import { DAYS, NAT64_POOL } from "./operators/index.ts";
import { forwardSchema, inboundSchema, ipv4Block, port } from "./option-schemas.ts";

/** Error for private blocks that cover the whole internet; the blocks stand before it. */
export const OPEN_NAT = "would make an open NAT of the machine; name the private blocks themselves";

/**
 * Whether a block is unusable for hosts: this network, loopback, link-local, multicast and reserved addresses (RFC 6890),
 * which no router forwards.
 */
const isUnusableForHosts = (block: string) =>
  ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"].some((outer) => cidrContains(outer, block));

const natCidr = z.string().superRefine((text, context) => {
  try {
    parseCidr(text);
    if (isUnusableForHosts(text)) {
      context.addIssue("has addresses that no host sends from; name the private blocks themselves");
    }
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

const url = z
  .string()
  .regex(/^https?:\/\/[\w.:[\]-]+(\/[\w./~-]*)?$/, "must be a URL such as http://mirror.example.com/ubuntu");

const seconds = (kind: keyof typeof idleDefaults, description: string) =>
  z
    .int()
    .min(10, "must be 10 to 432000 seconds")
    .max(432_000, "must be 10 to 432000 seconds")
    .optional()
    .meta({ description, default: idleDefaults[kind] });

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

const flag = z.boolean().optional();

/**
 * Options of a NAT instance in every place. Types, a stack's file, documentation and the components' checks derive from
 * this list. `fallback` says what holds without the option, where `default` is no value.
 */
export const natOptionsSchema = z.strictObject({
  dataPlane: dataPlaneSchema.optional().meta({
    description:
      "What translates and forwards. `flowtable`: nftables, and packets of known TCP and UDP flows skip its rules. " +
      "`nftables`: every packet passes the rules. `iptables`: fck-nat's rule and kernel settings, to compare with; it " +
      "filters nothing and forwards for every host that the security group admits. If the machine lacks a data plane, the " +
      "next simpler one runs, with a note: see [data planes](../nat-instance.md#data-planes).",
    default: "flowtable",
  }),
  strict: flag.meta({
    description: "Whether a machine that cannot have the data plane fails instead of running a simpler one.",
    default: false,
  }),
  outInterface: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, "must be the name of a network interface, such as eth0")
    .optional()
    .meta({
      description: "Interface that traffic leaves by.",
      fallback: "the device of the machine's default route",
    }),
  sourceAddresses: z
    .array(
      z
        .ipv4({ error: "must be IPv4 addresses, such as 10.0.1.5", abort: true })
        .refine((address) => !isUnusableForHosts(address), "is not an address that a machine can send from"),
    )
    .min(1, "must name an address; leave it out for the interface's primary one")
    .refine(
      (all) => new Set(all).size === all.length,
      "names an address twice; each takes a share of the flows",
    )
    .readonly()
    .optional()
    .meta({
      description:
        "Addresses of the outside interface to translate to; a hash of addresses and ports spreads flows over them. The " +
        "machine adds those it lacks. In a cloud each has a public address of its own.",
      fallback: "the outside interface's own address",
    }),
  portRange: z
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
    }),
  portAllocation: z
    .enum(["random", "preserve"])
    .optional()
    .meta({
      description:
        "Source port of a translated flow. `random`: a new one for each destination, which outsiders cannot guess. " +
        "`preserve`: the client's own if it is free, the same for all destinations, as hole punching needs; see " +
        "[ports](../nat-instance.md#options).",
      fallback: "random; the data plane iptables preserves, as fck-nat's rule does",
    }),
  idleTimeouts: z
    .strictObject({
      tcp: seconds("tcp", "Seconds of silence of an open TCP connection."),
      tcpHalfClosed: seconds(
        "tcpHalfClosed",
        "Seconds of silence of a TCP connection that one side has closed.",
      ),
      udp: seconds("udp", "Seconds of silence of a UDP flow of several datagrams."),
      udpUnanswered: seconds("udpUnanswered", "Seconds that a single datagram's flow waits for an answer."),
    })
    .optional()
    .meta({ description: "Silence after which a flow is forgotten.", fallback: "as below" }),
  metricsDirectory: z
    .string()
    .regex(
      /^\/[A-Za-z0-9_./-]{1,200}$/,
      "must be an absolute path of letters, digits, dots, hyphens and underscores",
    )
    .refine((path) => !path.split("/").includes(".."), "must be a path without ..")
    .optional()
    .meta({
      description:
        "Directory of node_exporter's textfile collector, such as `/var/lib/prometheus/node-exporter`. Packets, drops, " +
        "tracked connections and their failures, data plane and take-overs are written there every 15 s: see " +
        "[metrics](../nat-instance.md#metrics).",
      fallback: "no metrics",
    }),
  upgradeWindow: z
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
      reboot: flag.meta({
        description: "Whether the machine then reboots if an upgrade, such as a new kernel, needs it.",
        default: false,
      }),
    })
    .readonly()
    .optional()
    .meta({
      description:
        "When unattended upgrades run (if the image has them, as Ubuntu's does), and whether they may reboot the " +
        "machine.",
      fallback: "the image's own: each morning between 6 and 7, without a reboot",
    }),
  privateIpv6Cidrs: z
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
    }),
  nat64: flag.meta({
    description:
      "Whether hosts of `privateIpv6Cidrs` reach IPv4 servers as `64:ff9b::` and the server's address, which DNS64 answers " +
      "with: TCP, UDP and ICMP, with this machine's IPv4 address. Packets pass a program (tayga): for what has no IPv6, not " +
      "for bulk.",
    default: false,
  }),
  packageMirror: url.optional().meta({
    description:
      "URL of a mirror of Debian's or Ubuntu's packages, security updates included, that machines use instead of the image's: " +
      "for networks without a public mirror.",
    fallback: "the image's",
  }),
  packageProxy: url.optional().meta({
    description: "URL of an HTTP proxy that packages are fetched through, at the first boot and later.",
    fallback: "none",
  }),
  inbound: z
    .array(inboundSchema)
    .readonly()
    .optional()
    .meta({
      description:
        "Ports of the machine itself that others may reach, such as node_exporter's. All other new connections " +
        "to the machine itself are dropped: see [the machine itself](../nat-instance.md#the-machine-itself).",
      fallback: "none",
    }),
  forward: z
    .array(forwardSchema)
    .readonly()
    .optional()
    .meta({
      description:
        "Ports of the machine's outside addresses that lead to private hosts. The host's own group must admit the same blocks. " +
        "Not with `highAvailability`: see [the machine itself](../nat-instance.md#the-machine-itself).",
      fallback: "none",
    }),
});

/** Options in a cloud's stack file: the cloud decides addresses and device, and stacks have no IPv6 and no servers inside. */
export const cloudNatOptions = natOptionsSchema.omit({
  forward: true,
  sourceAddresses: true,
  outInterface: true,
  privateIpv6Cidrs: true,
  nat64: true,
});

/** Options of a pair that translates to one address, whose ports its machines share. */
export const pairNatOptions = cloudNatOptions.omit({ portRange: true });

/** Options that a cloud's component takes as `nat`; the component knows the addresses itself. */
export const natComponentOptions = natOptionsSchema.omit({ sourceAddresses: true });

/** Options that a cloud's component takes as `nat`. */
export type NatOptions = Readonly<z.infer<typeof natComponentOptions>>;

const natSetupSchema = natOptionsSchema.extend({
  /** CIDR blocks whose hosts may go out through this machine; at least one, none of them everything. */
  privateCidrs: z
    .array(natCidr)
    .min(1, "must name at least one CIDR block of private hosts, such as 10.0.1.0/24")
    .refine((cidrs) => !isEverybody(cidrs.filter(isBlock)), OPEN_NAT)
    .readonly(),
  /**
   * IPv4 blocks that may log in by SSH. `0.0.0.0/0` leaves logins to whatever protects the machine, such as a security
   * group, except for the private hosts.
   * @default none
   */
  sshCidrs: z.array(ipv4Block).readonly().optional(),
  /** TCP ports outside; an answer of any proves that a single machine forwards. @default four owners' public addresses */
  checks: z.array(checkSchema).min(1).readonly().optional(),
  /** Shell program, called each minute with the machine's metrics file. @default none */
  publisher: z.string().optional(),
  /**
   * Shell program, called every 15 s, and with `leave` at shutdown, to report whether the machine forwards.
   * @default none
   */
  heartbeat: z.string().optional(),
  /**
   * Set for a machine of a pair. Where both translate to one address, connections move too, and the pair sets
   * `sourceAddresses` and `portRange` itself.
   * @default a single machine
   */
  highAvailability: highAvailabilitySchema.readonly().optional(),
});

/** Arguments of a NAT instance's set-up, the same in every cloud and in the local lab. */
export interface NatSetupArgs extends Readonly<z.infer<typeof natSetupSchema>> {}

/** Checks a NAT instance's arguments. @throws {Error} one line per problem: the argument, its value, what is allowed. */
export function checkNatSetupArgs(args: NatSetupArgs): void {
  const rules = [...iptablesRules(args), ...forwardRules(args), ...pairRules(args), ...nat64Rules(args)];
  const problems = [
    ...problemsOf(natSetupSchema, args, "a NAT instance"),
    ...rules
      .filter(([isBroken]) => isBroken)
      .map(([, path, message]) => ({
        path: pathText(path),
        reason: `${message}; got ${valueAt(args, path)}`,
      })),
  ];
  if (problems.length > 0) {
    throw new Error(`A NAT instance cannot have these arguments:\n${problems.map(problemText).join("\n")}`);
  }
}

/** A rule between arguments, and the one that it names. */
type Rule = readonly [isBroken: boolean, path: readonly PropertyKey[], message: string];

/**
 * fck-nat's one rule, used by the iptables data plane, knows neither addresses nor ports, and its settings no time-outs.
 */
function iptablesRules(args: NatSetupArgs): Rule[] {
  const options = [
    "sourceAddresses",
    "portRange",
    "portAllocation",
    "idleTimeouts",
    "privateIpv6Cidrs",
    "forward",
  ] as const;
  const message = "needs dataPlane nftables or flowtable; iptables is one plain masquerade, like fck-nat";
  return options.map((option) => [
    args.dataPlane === "iptables" && args[option] !== undefined,
    [option],
    message,
  ]);
}

/** A forwarded port that is the machine's own, or leads elsewhere than to a private host, would open more than it says. */
function forwardRules({ forward = [], inbound = [], privateCidrs, highAvailability }: NatSetupArgs): Rule[] {
  const { shape } = natSetupSchema;
  const isRead = [
    shape.forward.safeParse(forward),
    shape.inbound.safeParse(inbound),
    shape.privateCidrs.safeParse(privateCidrs),
  ].every(({ success }) => success);
  if (!isRead) {
    return [];
  }
  const taken = [{ protocol: "tcp", port: 22 }, ...inbound];
  const key = ({ protocol = "tcp", port }: { protocol?: string | undefined; port: number }) =>
    `${protocol} ${port}`;
  return forward.flatMap((one, at): Rule[] => {
    const [host = "", port = "1"] = one.to.split(":");
    const isAddress = isIPv4(host) && Number(port) <= 65535;
    const isPrivate = () => privateCidrs.some((block) => isBlock(block) && cidrContains(block, `${host}/32`));
    const path = ["forward", at];
    return [
      [highAvailability !== undefined, path, "does not go with highAvailability; leave one of them out"],
      [
        taken.some((own) => key(own) === key(one)),
        [...path, "port"],
        "is the machine's own; forward another",
      ],
      [forward.findIndex((other) => key(other) === key(one)) < at, [...path, "port"], "is forwarded twice"],
      [!isAddress, [...path, "to"], "must be a private host's address, such as 10.0.1.5:8080"],
      [isAddress && !isPrivate(), [...path, "to"], "must be a host of privateCidrs"],
    ];
  });
}

/** NAT64's translator has a state of its own, which a standby lacks. */
function nat64Rules({ nat64, privateIpv6Cidrs, privateCidrs, highAvailability }: NatSetupArgs): Rule[] {
  if (nat64 !== true) {
    return [];
  }
  const isRead = natSetupSchema.shape.privateCidrs.safeParse(privateCidrs).success;
  const isOverlapping = isRead && privateCidrs.some((block) => cidrsOverlap(block, NAT64_POOL));
  return [
    [privateIpv6Cidrs === undefined, ["nat64"], "needs privateIpv6Cidrs, the blocks whose hosts may use it"],
    [highAvailability !== undefined, ["nat64"], "does not go with highAvailability: its sessions would end"],
    [isOverlapping, ["privateCidrs"], `overlaps with ${NAT64_POOL}, which nat64 uses`],
  ];
}

/** A pair's connections use one address, and its health check needs rules of its own. */
function pairRules({ highAvailability: pair, dataPlane, sourceAddresses, portRange }: NatSetupArgs): Rule[] {
  if (pair === undefined) {
    return [];
  }
  const isShared = pair.translatedTo !== undefined;
  const shared = "does not go with highAvailability, whose machines translate to one address";
  return [
    [isShared && sourceAddresses !== undefined, ["sourceAddresses"], shared],
    [isShared && portRange !== undefined, ["portRange"], shared],
    [dataPlane === "iptables", ["dataPlane"], "must be nftables or flowtable with highAvailability"],
    [pair.self === pair.peer, ["highAvailability", "peer"], "must be the other machine's address"],
  ];
}

function valueAt(args: unknown, path: readonly PropertyKey[]): string {
  return (
    JSON.stringify(path.reduce((at, key) => (at as Record<PropertyKey, unknown>)[key], args)) ?? "nothing"
  );
}
