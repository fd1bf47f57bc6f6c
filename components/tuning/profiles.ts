/**
 * Kernel settings that clients and servers may get for a run, each with its reason. A NAT machine has its own
 * (`nat-instance/sysctls.ts`).
 */

/** Values of `egress-bench:tuning`. */
export const tuningNames = ["none", "throughput", "mtu-1500"] as const;
export type TuningName = (typeof tuningNames)[number];

export interface TunedSysctl {
  readonly key: string;
  readonly value: string;
  readonly why: string;
}

const MEBIBYTE = 2 ** 20;

/**
 * For paths of up to 10 Gbit/s and 25 ms, or 1 Gbit/s and 250 ms: 32 MiB in flight. Sizes are those that ESnet recommends
 * for hosts with 10 Gbit/s (fasterdata.es.net/host-tuning/linux). The congestion control and the qdisc stay: changing them
 * would change how the host sends, not how much it can hold.
 */
const throughput: readonly TunedSysctl[] = [
  {
    key: "net.core.rmem_max",
    value: `${64 * MEBIBYTE}`,
    why: "what a program may ask for as receive buffer; the default of 208 KiB holds a request for more down",
  },
  { key: "net.core.wmem_max", value: `${64 * MEBIBYTE}`, why: "the same for sending" },
  {
    key: "net.core.rmem_default",
    value: `${4 * MEBIBYTE}`,
    why: "receive buffer of UDP sockets that ask for none: a burst that overflows it counts as the path's loss",
  },
  {
    key: "net.ipv4.tcp_rmem",
    value: `4096 131072 ${32 * MEBIBYTE}`,
    why: "least, initial and most that TCP gives a connection by itself; the 6 MiB of most kernels carry 1 Gbit/s over 48 ms",
  },
  {
    key: "net.ipv4.tcp_wmem",
    value: `4096 65536 ${32 * MEBIBYTE}`,
    why: "the same for sending; the default's most is 4 MiB",
  },
  {
    key: "net.core.netdev_max_backlog",
    value: "30000",
    why: "packets waiting for another CPU; the default of 1,000 drops the bursts of many streams",
  },
  {
    key: "net.ipv4.tcp_no_metrics_save",
    value: "1",
    why: "a case must not start with the slow-start threshold that a loss in an earlier one left behind",
  },
];

/** MTU of the default route's interface, which is no sysctl. */
export const MTU = "mtu";

/** For private paths, whose packets may be larger than the internet's, to compare with paths through the internet. */
const smallMtu: readonly TunedSysctl[] = [
  {
    key: MTU,
    value: "1500",
    why: "what a packet through an internet gateway has at most, where AWS's own network has 9001",
  },
];

/** Settings of every profile but `none`. */
export const tuningProfiles: Readonly<Record<Exclude<TuningName, "none">, readonly TunedSysctl[]>> = {
  throughput,
  "mtu-1500": smallMtu,
};
