/** What a machine of a pair has to know of the other one, and what a take-over leads to itself. */
import type { Inbound } from "./inbound.ts";

/**
 * What a take-over leads to this machine, and where the program looks whether it does: one file of `pair/` a kind.
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

/** One of two NAT instances that stand in for each other. */
export interface HighAvailability {
  /** IPv4 address of this machine, and of the other one, by which they reach each other. */
  readonly self: string;
  readonly peer: string;
  /**
   * The address that both translate to, and that moves. Left out, each keeps an outside address of its own: sessions end
   * with the machine that carries them, so that no connections are copied.
   *
   * @default each machine's own
   */
  readonly translatedTo?: string | undefined;
  /**
   * This machine's own address outside, which stands for `translatedTo` where packets leave and arrive, so that the latter
   * is none that anybody has. For machines of two subnets, between which no private address moves.
   *
   * @default none: `translatedTo` itself moves
   */
  readonly outerAddress?: string | undefined;
  readonly move: PairMove;
  /** What to do where the machine's role does not allow the take-over. @default nothing is said */
  readonly refusal?: string | undefined;
  /** Ports of the machine's own that its place reaches, such as a load balancer's probe. @default none */
  readonly inbound?: readonly Inbound[] | undefined;
  /** Key of the signs of life, which both machines have. @default none: the peer's address alone is checked */
  readonly key?: string | undefined;
  /** TCP port outside that answers, if only by refusing: what forwarding is tested against. */
  readonly check: {
    /** IPv4 address, or a name. */
    readonly address: string;
    readonly port: number;
  };
  /** Between two signs of life; three that are missing are a death. @default 100 */
  readonly advertisementMs?: number | undefined;
}
