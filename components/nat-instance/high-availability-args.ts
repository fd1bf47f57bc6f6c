/**
 * Arguments of a pair of NAT instances.
 *
 * @module
 */
import type { Inbound } from "./inbound.ts";

/** Shell functions of a place: what the set-up script cannot know of it. */
interface AddressMove {
  /** Shell that the bodies below need. @default none */
  readonly definitions?: string;
  /** Body of `take_addresses`: the pair's addresses lead here now. Status 0 when they do. */
  readonly take: string;
  /** Body of `release_addresses`, where they must not stay with a standby. */
  readonly release: string;
  /** Body of `may_take_addresses`: whether they could be taken, without taking them. @default they can */
  readonly allowed?: string;
  /** What to do where they cannot. @default nothing is said */
  readonly refusal?: string;
  /** Ports of the machine's own that the place reaches, such as a load balancer's probe. @default none */
  readonly inbound?: readonly Inbound[];
}

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
  /**
   * Whether signs of life travel in UDP (VXLAN), for networks that pass neither VRRP nor tunnels of another kind.
   *
   * @default false
   */
  readonly tunnel?: boolean | undefined;
  readonly move: AddressMove;
  /** TCP port outside that answers, if only by refusing: what forwarding is tested against. */
  readonly check: {
    /** IPv4 address, or a name. */
    readonly address: string;
    readonly port: number;
  };
  /** Between two signs of life; three that are missing are a death. @default 100 */
  readonly advertisementMs?: number | undefined;
}
