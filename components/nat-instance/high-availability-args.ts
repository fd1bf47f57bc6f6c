import { z } from "zod";
import { inboundSchema, port } from "./inbound.ts";

/**
 * How a take-over moves the traffic to this machine, and how the program verifies that. Each kind has its file in `pair/`.
 *
 * - `ec2`: the private address, with its Elastic IP, or with `allocationId` the Elastic IP alone; and the routes of the tables.
 * - `probe`: the load balancer's clients, by answering its probe on a TCP port.
 * - `addresses`: addresses on links, announced to the neighbours.
 * - `nothing`: the caller leads the traffic.
 */
export type PairMove =
  | {
      readonly kind: "ec2";
      readonly networkInterfaceId: string;
      readonly privateAddress: string;
      readonly allocationId?: string | undefined;
      readonly routeTableIds: readonly string[];
    }
  | { readonly kind: "probe"; readonly port: number }
  | {
      readonly kind: "addresses";
      readonly addresses: readonly { readonly address: string; readonly link: string }[];
    }
  | { readonly kind: "nothing" };

/** A TCP port that forwarding is tested against: an IPv4 address or a name, which reach scripts that root runs. */
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

/** One of two NAT instances that stand in for each other. Rules, configuration and scripts name what is checked here. */
export const highAvailabilitySchema = z.strictObject({
  /** IPv4 address of this machine, and of the other one, by which they reach each other. */
  self: address,
  peer: address,
  /**
   * The address that both translate to, and that moves. Left out, each keeps an outside address of its own: sessions end
   * with the machine that carries them, so that no connections are copied.
   *
   * @default each machine's own
   */
  translatedTo: address.optional(),
  /**
   * This machine's own address outside, which stands for `translatedTo` where packets leave and arrive, so that the latter
   * is none that anybody has. For machines of two subnets, between which no private address moves.
   *
   * @default none: `translatedTo` itself moves
   */
  outerAddress: address.optional(),
  move: z.custom<PairMove>(),
  /** Advice printed when the machine's role does not allow the take-over. @default none */
  refusal: z.string().optional(),
  /** Ports of the machine's own that its place reaches, such as a load balancer's probe. @default none */
  inbound: z.array(inboundSchema).readonly().optional(),
  /** Key of the signs of life, which both machines have. @default none: the peer's address alone is checked */
  key: z.string().optional(),
  /** TCP port outside that answers, if only by refusing: what forwarding is tested against. */
  check: checkSchema,
  advertisementMs,
});

/** One of two NAT instances that stand in for each other. */
export interface HighAvailability extends Readonly<z.infer<typeof highAvailabilitySchema>> {}
