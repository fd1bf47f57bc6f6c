/** Settings of existing hosts; docs: `docs/hosts.md`. */
import { isIPv6 } from "node:net";
import { z } from "zod";
import { BIT_RATE_ALLOWED, boundRates, type CloudName, type Plan, parseBitRate } from "../../bench/index.ts";
import { quantity } from "../../bench/plan/fields.ts";

/** A tenth of the slowest network card that servers still have. */
const CAREFUL_BITS_PER_SECOND = 100e6;

const rate = quantity(parseBitRate, BIT_RATE_ALLOWED, `expected ${BIT_RATE_ALLOWED}`);

const hostAddress = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?$/, "must be a host name or an address");

const login = {
  address: hostAddress.meta({ description: "Name or address at which its SSH server answers." }),
  port: z.int().min(1).max(65_535).default(22).meta({ description: "Port of its SSH server." }),
  user: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9._-]{0,31}$/, "must be a Linux user name")
    .meta({
      description: "Account to log in with. Root is not needed; a note says what is missing without it.",
    }),
  keyFile: z.string().min(1).optional().meta({
    description:
      "File with a private key that has no passphrase. It is kept in the stack's state, as a secret.",
    fallback: "the SSH agent's keys",
  }),
  hostKey: z
    .string()
    .regex(/^(ssh|ecdsa)-[a-z0-9-]+ [A-Za-z0-9+/=]{40,}/, "must be a public key, such as ssh-ed25519 AAAA...")
    .optional()
    .meta({
      description: "The host's own public key; another one is refused.",
      fallback: "that of `~/.ssh/known_hosts`",
    }),
};

const hostSchema = z.strictObject({
  ...login,
  dataAddress: z.ipv4().optional().meta({
    description: "Address at which the other hosts reach it. Give a client's only if nothing translates it.",
    fallback: "`address`; of a client none",
  }),
  jump: z.strictObject(login).optional().meta({ description: "Jump host, for SSH only.", fallback: "none" }),
});
export type HostSettings = z.infer<typeof hostSchema>;

const serverSchema = hostSchema.extend({
  mayDisturb: z.boolean().default(false).meta({
    description: "Accepts this server even if other traffic takes more than a tenth of `maxBitsPerSecond`.",
  }),
});
export type ServerSettings = z.infer<typeof serverSchema>;

/** Whether a host has an IPv4 address, which tests use. */
const isMeasurable = ({ address, dataAddress }: HostSettings) =>
  dataAddress !== undefined || !isIPv6(address);
const notMeasurable = {
  path: ["address"],
  error:
    "must be an IPv4 address or a name that has one, since IPv6 is not measured; or give dataAddress beside it",
};

/** Options of the topology `existing`. */
export const existingOptions = z.strictObject({
  client: hostSchema.meta({ description: "Sends the tests." }),
  server: serverSchema.refine(isMeasurable, notMeasurable).meta({ description: "Answers them." }),
  nat: hostSchema
    .refine(isMeasurable, notMeasurable)
    .optional()
    .meta({ description: "NAT machine between them, which is observed.", fallback: "none" }),
  price: z
    .strictObject({
      usdPerHour: z.number().nonnegative().default(0).describe("USD an hour."),
      usdPerGbSent: z.number().nonnegative().default(0).describe("USD for each GB that the client sends."),
    })
    .optional()
    .meta({ description: "What the way out costs you.", fallback: "not known" }),
  expectedSourceIps: z
    .union([z.literal("report"), z.array(z.ipv4()).min(1)])
    .default("report")
    .meta({
      description: "Source addresses that the server must see; `report`: any, and the results say which.",
    }),
});
export type ExistingOptions = z.infer<typeof existingOptions>;

/**
 * Why the logins of a stack's topologies conflict; null if they do not. Agents of two users on one host would measure each
 * other.
 */
export function loginConflict(
  topologies: readonly Pick<ExistingOptions, "client" | "server" | "nat">[],
): string | null {
  const users = new Map<string, string>();
  for (const { client, server, nat } of topologies) {
    for (const { address, port, user, jump } of [client, server, ...(nat === undefined ? [] : [nat])]) {
      // Behind another jump host the same address is another host.
      const place = JSON.stringify([address, port, jump?.address, jump?.port]);
      const other = users.get(place) ?? user;
      if (other !== user) {
        return `topologies: ${other} and ${user} are users of one host, ${address}:${port}: log in to it as one of them`;
      }
      users.set(place, user);
    }
  }
  return null;
}

/** The `egress-bench:hosts` section. */
export const settingsSchema = z.strictObject({
  maxBitsPerSecond: rate.default(CAREFUL_BITS_PER_SECOND).meta({
    description:
      "Most that a case sends, over all streams and both directions; `unlimited` for hosts without other users.",
    allowed: BIT_RATE_ALLOWED,
    fallback: "`100M`",
  }),
  mayInstall: z
    .boolean()
    .default(false)
    .describe("Whether missing tools are installed with apt. They are removed again with the stack."),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The plan, limited to the load that its hosts may carry. @throws {PlanError} naming a case above it. */
export function bearable(
  plan: Plan,
  { cloud, settings }: { readonly cloud: string; readonly settings: unknown },
): Plan {
  const checked = settingsSchema.safeParse(settings);
  // Errors of the section are reported where it is read.
  return cloud === ("hosts" satisfies CloudName) && checked.success
    ? boundRates(plan, checked.data.maxBitsPerSecond)
    : plan;
}
