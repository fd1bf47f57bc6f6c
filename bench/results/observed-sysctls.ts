/** Kernel settings among a host's facts: those that affect throughput, latency or the number of flows. */

/** Their names, in the order of the facts. */
export const observedSysctls = [
  "net.core.default_qdisc",
  "net.core.netdev_budget",
  "net.core.netdev_budget_usecs",
  "net.core.netdev_max_backlog",
  "net.core.rmem_max",
  "net.core.somaxconn",
  "net.core.wmem_max",
  "net.ipv4.conf.all.rp_filter",
  "net.ipv4.conf.all.send_redirects",
  "net.ipv4.ip_forward",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_congestion_control",
  "net.ipv4.tcp_mtu_probing",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_timestamps",
  "net.ipv4.tcp_tw_reuse",
  "net.ipv4.tcp_wmem",
  "net.netfilter.nf_conntrack_buckets",
  "net.netfilter.nf_conntrack_max",
  "net.netfilter.nf_conntrack_tcp_timeout_established",
  "net.netfilter.nf_flowtable_tcp_timeout",
  "net.netfilter.nf_flowtable_udp_timeout",
] as const;
