/** Kernel settings of a NAT instance, each with its reason. */
import type { NatSetupArgs } from "./args.ts";
import { idleSeconds } from "./idle-timeouts.ts";
import { type Part, setUpText } from "./part.ts";

/** File that keeps the settings, so that they are in force after a boot too. */
export const SYSCTL_FILE = "/etc/sysctl.d/90-egress-bench.conf";

export interface Sysctl {
  readonly key: string;
  /** A number, or a variable of the set-up script that is known only on the machine. */
  readonly value: string;
  readonly why: string;
  /** Whether a NAT instance needs it; an optional setting is skipped where it is absent or read-only. */
  readonly required?: true;
}

/** Seconds that a TCP connection closed by both sides holds its port. */
const TIME_WAIT_SECONDS = 60;

/**
 * Seconds that a reset offloaded TCP connection holds its port, before Linux 6.14: its reset does not match the sequence
 * number that tracking saw last, so it counts as established, with unacknowledged data. A sender repeats such data every
 * 120 s at the latest.
 */
export const RESET_SECONDS = 130;

/** Seconds that a silent flow stays in the flowtable; conntrack's own time-out continues from there. */
const FLOWTABLE_SECONDS = 120;

/**
 * Settings in the order in which they are set. In a network namespace the sizes of the connection table and the receive
 * path's budget belong to the whole machine, and a kernel without flowtables lacks the flowtable's time-outs.
 * `ip_local_port_range` is missing on purpose: it does nothing for forwarded flows.
 */
const sysctls = (idle: ReturnType<typeof idleSeconds>): readonly Sysctl[] => [
  { key: "net.ipv4.ip_forward", value: "1", why: "forwards at all", required: true },
  {
    key: "net.ipv4.conf.all.send_redirects",
    value: "0",
    why: "with one interface for both sides it would tell clients to go round it",
  },
  { key: "net.ipv4.conf.default.send_redirects", value: "0", why: "the same, for interfaces to come" },
  {
    key: "net.ipv4.conf.all.rp_filter",
    value: "0",
    why: "strict it drops replies on two interfaces, loose it lets all pass and looks each packet's route up again",
  },
  { key: "net.ipv4.conf.default.rp_filter", value: "0", why: "the same, for interfaces to come" },
  {
    key: "net.ipv4.ip_early_demux",
    value: "0",
    why: "would look for a local socket of each packet that is only forwarded",
  },
  {
    key: "net.netfilter.nf_conntrack_buckets",
    value: "$conntrack_max",
    why: "as many as connections, so that a look-up stays one step",
  },
  {
    key: "net.netfilter.nf_conntrack_max",
    value: "$conntrack_max",
    why: "the default on 1 GiB is 65,536 at most; a full table drops new flows",
  },
  {
    key: "net.netfilter.nf_conntrack_tcp_timeout_established",
    value: `${idle.tcp}`,
    why: "the least that RFC 5382 (REQ-5) allows, 2 h 4 min, instead of five days for a connection that vanished",
  },
  {
    key: "net.netfilter.nf_conntrack_tcp_timeout_time_wait",
    value: `${TIME_WAIT_SECONDS}`,
    why: "a closed connection holds its port: 64,512 ports in 60 s are 1,075 connections/s to one destination",
  },
  {
    key: "net.netfilter.nf_conntrack_tcp_timeout_unacknowledged",
    value: `${RESET_SECONDS}`,
    why: "so long before Linux 6.14 a reset connection of the flowtable holds its port: 496/s to one destination",
  },
  {
    key: "net.netfilter.nf_conntrack_tcp_timeout_fin_wait",
    value: `${idle.tcpHalfClosed}`,
    why: "half closed, the other side may still answer: RFC 5382 (REQ-5) wants four minutes",
  },
  {
    key: "net.netfilter.nf_conntrack_tcp_timeout_close_wait",
    value: `${idle.tcpHalfClosed}`,
    why: "the same, from the other side; the default of 60 s lost an answer after 70 s",
  },
  {
    key: "net.netfilter.nf_conntrack_udp_timeout",
    value: `${idle.udpUnanswered}`,
    why: "the least that RFC 4787 (REQ-5) wants; the default of 30 s lost an answer after 35 s",
  },
  {
    key: "net.netfilter.nf_conntrack_udp_timeout_stream",
    value: `${idle.udp}`,
    why: "as AWS's NAT gateway; the default is 120 s",
  },
  {
    key: "net.netfilter.nf_flowtable_tcp_timeout",
    value: `${Math.min(FLOWTABLE_SECONDS, idle.tcp)}`,
    why: "a pause longer than the default 30 s would send a flow back to the slow path",
  },
  {
    key: "net.netfilter.nf_flowtable_udp_timeout",
    value: `${Math.min(FLOWTABLE_SECONDS, idle.udp)}`,
    why: "the same; tracking counts the mapping's own time from then on",
  },
  { key: "net.core.netdev_budget", value: "600", why: "packets a receive round, twice the default" },
  {
    key: "net.core.netdev_budget_usecs",
    value: "8000",
    why: "microseconds a receive round, four times the default, or the budget above is never reached",
  },
  {
    key: "net.core.netdev_max_backlog",
    value: "16384",
    why: "packets waiting for another CPU where RPS spreads them; the default of 1,000 drops bursts",
  },
];

/**
 * fck-nat's own settings (service/fck-nat.sh of its repository) and no others, so that `iptables` is comparable with it.
 */
const fckNatSysctls: readonly Sysctl[] = [
  { key: "net.ipv4.ip_forward", value: "1", why: "forwards at all", required: true },
  { key: "net.ipv4.conf.all.rp_filter", value: "0", why: "fck-nat filters no source addresses" },
  { key: "net.ipv4.conf.default.rp_filter", value: "0", why: "the same, for interfaces to come" },
];

/** Settings of a data plane: the machine's, and names within `net.ipv4.conf.<interface>` that are 0 on each interface. */
export function sysctlsOf({ dataPlane, idleTimeouts }: Pick<NatSetupArgs, "dataPlane" | "idleTimeouts">): {
  readonly machine: readonly Sysctl[];
  readonly offOnEachInterface: readonly string[];
} {
  return dataPlane === "iptables"
    ? { machine: fckNatSysctls, offOnEachInterface: ["rp_filter"] }
    : {
        machine: sysctls(idleSeconds(idleTimeouts)),
        offOnEachInterface: ["rp_filter", "send_redirects"],
      };
}

/** Defines `set_sysctls`. */
export function sysctlPart(args: NatSetupArgs): Part {
  const { machine, offOnEachInterface } = sysctlsOf(args);
  const calls = machine.map(
    ({ key, value, why, required }) => `  # ${why}\n  ${required ? "need" : "want"} ${key} ${value}\n`,
  );
  return {
    settings: { sysctl_file: SYSCTL_FILE, off_on_each_interface: offOnEachInterface },
    texts: [`machine_sysctls() {\n${calls.join("")}}\n`, setUpText("sysctls.sh")],
    steps: ["set_sysctls"],
  };
}
