/** A NAT machine's capacity, from its cloud's published limits of its size. */
import type { Machine } from "./machine.ts";

/** Rates count both directions together: a NAT sends what both sides send. Null: not known. */
export interface Capacity {
  /** Bits per second that it can send all month. */
  readonly sustainedBitsPerSecond: number | null;
  /** Bits per second that it can send for minutes. */
  readonly peakBitsPerSecond: number | null;
  /** Share of its CPUs that it has all month, 0 to 1: without credits some sizes are slowed down. */
  readonly cpuShare: number;
}

/** Machines with fewer vCPUs are held to 5 Gbit/s through an internet gateway, others to half of their rate or 5 Gbit/s. */
const LARGE_VCPUS = 32;
const INTERNET_BITS_PER_SECOND = 5e9;

interface CloudRules {
  /** Whether a size with CPU credits is slowed down without them. */
  readonly slows: (size: string) => boolean;
  /** The part of a rate that traffic with the internet may have. */
  readonly internet: (rate: number, vcpus: number) => number;
}

const rules: Readonly<Record<Machine["cloud"], CloudRules>> = {
  aws: {
    // T3 and later are unlimited unless set otherwise: they keep their speed, and surplus credits are billed.
    slows: (size) => size.startsWith("t2."),
    internet: (rate, vcpus) =>
      Math.min(
        rate,
        vcpus < LARGE_VCPUS ? INTERNET_BITS_PER_SECOND : Math.max(rate / 2, INTERNET_BITS_PER_SECOND),
      ),
  },
  azure: { slows: () => true, internet: (rate) => rate },
};

/**
 * Capacity of a size. AWS limits traffic with the internet beside the size's own rate. Azure's B sizes hold no published rate:
 * at the share of CPUs that they may use for ever they send no more than that share of their maximum.
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
