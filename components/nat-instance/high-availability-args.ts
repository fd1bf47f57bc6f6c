import { z } from "zod";
import { inboundSchema, port } from "./option-schemas.ts";

/**
 * How a take-over moves the traffic to this machine, and how the program verifies that. Each kind has its file in `pair/`.
 *
 * - `ec2`: in one subnet the private address that both machines translate to, with the Elastic IP `elasticIpId`; in two the
 * Elastic IP `allocationId`, to this machine's own private address; and routes 0.0.0.0/0 of the tables.
 * - `probe`: the load balancer's clients, by answering its probe on a TCP port.
 * - `addresses`: addresses on links, announced to the neighbours.
 * - `nothing`: the caller moves the traffic.
 */
export type PairMove =
  | {
      readonly kind: "ec2";
      readonly networkInterfaceId: string;
      readonly privateAddress: string;
      readonly allocationId?: string | undefined;
      readonly elasticIpId?: string | undefined;
      readonly routeTableIds: readonly string[];
    }
  | { readonly kind: "probe"; readonly port: number }
  | {
      readonly kind: "addresses";
      readonly addresses: readonly { readonly address: string; readonly link: string }[];
    }
  | { readonly kind: "nothing" };

/** A TCP port that forwarding is tested against, with an IPv4 address or a name. It gets into scripts that root runs. */
export const checkSchema = z
  .strictObject({
    address: z
      .string()
      .regex(
        /^(?!.{254})[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/,
        "must be an IPv4 address or a host's name",
      ),
    port,
  })
  .readonly();

export const checkOption = checkSchema.optional().meta({
  description:
    "An outside TCP port that answers; forwarding is tested against it each second. A name that leads to a private address, " +
    "as of an interface endpoint, proves nothing.",
  fallback: "port 443 of 1.1.1.1, 8.8.8.8, 9.9.9.9 and 223.5.5.5, of which any may answer",
});

/** Milliseconds between two signs of life. */
export const advertisementMs = z
  .int("must be 50 to 10000 milliseconds")
  .min(50, "must be 50 to 10000 milliseconds")
  .max(10_000, "must be 50 to 10000 milliseconds")
  .optional()
  .meta({
    description: "Milliseconds between two signs of life; three missing ones count as a death.",
    default: 100,
  });

const address = z.ipv4("must be an IPv4 address");

/** A machine of a pair of NAT instances. Rules, configuration and scripts contain the values checked here. */
export const highAvailabilitySchema = z.strictObject({
  /** IPv4 address of this machine, which the other one uses, and the reverse. */
  self: address,
  peer: address,
  /**
   * Address that both translate to, and that moves. Left out, each machine keeps an outside address of its own: sessions
   * end with the machine that carries them, so no connections are copied.
   * @default each machine's own
   */
  translatedTo: address.optional(),
  /**
   * This machine's own outside address, swapped for `translatedTo` where packets leave and arrive, so that nothing needs to
   * have `translatedTo`. For machines of two subnets, between which no private address moves.
   * @default none: `translatedTo` itself moves
   */
  outerAddress: address.optional(),
  move: z.custom<PairMove>(),
  /** Advice to print when the machine's role does not allow the take-over. @default none */
  refusal: z.string().optional(),
  /** Ports of the machine that its environment reaches, such as a load balancer's probe. @default none */
  inbound: z.array(inboundSchema).readonly().optional(),
  /** Key of the signs of life, which both machines have. @default none: only the peer's address is checked */
  key: z.string().optional(),
  /** Outside TCP port that answers, even by refusing; forwarding is tested against it. @default as of a single machine */
  check: checkSchema.optional(),
  advertisementMs,
});

export interface HighAvailability extends Readonly<z.infer<typeof highAvailabilitySchema>> {}
