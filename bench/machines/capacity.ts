/** A NAT machine's capacity, from its cloud's published limits of its size. */
import { awsFamily } from "./aws.ts";
import type { Machine } from "./machine.ts";

/** Rates count both directions together: a NAT sends in both. Null: not known. */
export interface Capacity {
  /** Bits per second that the size can send without end. */
  readonly sustainedBitsPerSecond: number | null;
  /** Bits per second that it can send for minutes. */
  readonly peakBitsPerSecond: number | null;
  /** Share of its CPUs that the size can use without end, 0 to 1: without credits some sizes are slowed down. */
  readonly cpuShare: number;
}

/** EC2's sizes with fewer vCPUs get 5 Gbit/s through an internet gateway; others get half of their rate, at least 5 Gbit/s. */
export const LARGE_VCPUS = 32;
const INTERNET_BITS_PER_SECOND = 5e9;
/** The rate of {@link LARGE_VCPUS} in words: `5 Gbit/s`. */
export const INTERNET_RATE = `${INTERNET_BITS_PER_SECOND / 1e9} Gbit/s`;

interface CloudRules {
  /** Whether a size with CPU credits is slowed down without them, unless its machine is set otherwise. */
  readonly slows: (size: string) => boolean;
  /** Whether the cloud sells CPU beyond the credits. */
  readonly sellsSurplus: boolean;
  /** The part of a rate that internet traffic may use. */
  readonly internet: (rate: number, vcpus: number) => number;
}

const rules: Readonly<Record<Machine["cloud"], CloudRules>> = {
  aws: {
    // T3 and later are unlimited unless set otherwise: they keep their speed, and surplus credits are billed.
    slows: (size) => awsFamily(size) === "t2",
    sellsSurplus: true,
    internet: (rate, vcpus) =>
      Math.min(
        rate,
        vcpus < LARGE_VCPUS ? INTERNET_BITS_PER_SECOND : Math.max(rate / 2, INTERNET_BITS_PER_SECOND),
      ),
  },
  azure: { slows: () => true, sellsSurplus: false, internet: (rate) => rate },
};

/**
 * Capacity of a size. AWS limits internet traffic in addition to the size's own rate. Azure publishes no sustained rate for B
 * sizes: the same share of their maximum rate as of their CPUs is assumed.
 *
 * Sources: docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html, the tables of `bench/machines/`.
 */
export function capacityOf({ cloud, size, vcpus, network, credits }: Machine): Capacity {
  const { slows, internet } = rules[cloud];
  const slowed = credits !== null && slows(size);
  const cpuShare = slowed ? credits.baselinePercent / 100 : 1;
  const outward = (rate: number | null) => (rate === null ? null : internet(rate, vcpus));
  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak } = network;
  const byCpu = peak === null || credits === null ? null : peak * cpuShare;
  return { sustainedBitsPerSecond: outward(baseline ?? byCpu), peakBitsPerSecond: outward(peak), cpuShare };
}

/**
 * Whether a machine at full load is billed for surplus credits.
 *
 * @param mode EC2's credit specification, `standard` or `unlimited`. Undefined: the family's default.
 */
export function paysForSurplus({ cloud, size, credits }: Machine, mode?: unknown): boolean {
  const { slows, sellsSurplus } = rules[cloud];
  const unlimited = mode === undefined ? !slows(size) : mode === "unlimited";
  return credits !== null && sellsSurplus && unlimited;
}
