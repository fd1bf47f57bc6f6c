/**
 * The agent's settings that are the same for all cases: tools and bounds that TypeScript knows. `npm run reference` writes
 * them beside the agent's programs, as `contract.json`. A case's own settings are in `protocol.ts`.
 */

import { MAX_DURATION_SECONDS } from "../plan/quantities.ts";
import { dataPlaneSchema } from "../results/hosts.ts";
import { failureKinds, roleSchema } from "../results/index.ts";
import { connectOptions, MAX_OUTAGES } from "../tools/connect/index.ts";
import { failoverOptions, READY_SECONDS } from "../tools/failover/index.ts";
import { connections, httpOptions, vegeta } from "../tools/http/index.ts";
import { versionCommands } from "../tools/index.ts";
import { iperf3Reducer, iperf3Trial, type Reducer } from "../tools/iperf3/agent-settings.ts";
import { MAX_REDUCED_BYTES } from "../tools/iperf3/output.ts";
import { MAX_PAIRS } from "../tools/iperf3/plan.ts";
import { irttClient, irttOptions, NEW_PEER } from "../tools/irtt/index.ts";
import { natOptions } from "../tools/nat/plan.ts";
import { dataPorts } from "../tools/ports.ts";
import { searchGoals, searchOptions } from "../tools/search/plan.ts";
import { CONNECTION_LOST } from "../tools/shared/failure.ts";
import { idleTimeoutSeconds } from "../topologies/limits.ts";
import {
  AGENT_PROTOCOL_VERSION,
  EXECUTABLE,
  MAX_PORT_RANGES,
  MAX_REPORT_BYTES,
  RUN_KEY,
  SPEC_BOUNDS,
} from "./protocol.ts";

/** Kernel settings in the facts of a host, in their order there. */
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

const reducers: Readonly<Record<string, Reducer>> = { iperf3: iperf3Reducer };

const agentContract = {
  version: AGENT_PROTOCOL_VERSION,
  bounds: {
    reportBytes: MAX_REPORT_BYTES,
    outputBytes: MAX_REDUCED_BYTES,
    pairs: MAX_PAIRS,
    portRanges: MAX_PORT_RANGES,
    outages: MAX_OUTAGES,
    readySeconds: READY_SECONDS,
    spec: SPEC_BOUNDS,
    /** A quarter of the shortest idle time-out of a cloud's NAT, because a keep-alive probe may be lost. */
    keepAliveSeconds: Math.min(...Object.values(idleTimeoutSeconds)) / 4,
    durationSeconds: MAX_DURATION_SECONDS,
  },
  /** Defaults and bounds of the options of the agent's own probes. */
  options: {
    ...{ search: searchOptions, nat: natOptions, failover: failoverOptions },
    ...{ connect: connectOptions, roundTrips: irttOptions, http: httpOptions },
  },
  /** How `probe http` may use connections. */
  httpConnections: connections,
  executable: EXECUTABLE,
  sysctls: observedSysctls,
  roles: roleSchema.options,
  failures: failureKinds,
  dataPlanes: dataPlaneSchema.options,
  runKey: RUN_KEY,
  searchGoals,
  reducers,
  /** The trial that a search repeats. */
  trial: iperf3Trial,
  /** Reducer of the load beneath a probe. */
  load: { reducer: "iperf3" },
  /** The client of `probe irtt`. */
  roundTrips: irttClient,
  /** The client of `probe http`. */
  requests: vegeta,
  /** Pattern of the log lines in which a service reports a new peer. */
  newPeer: NEW_PEER,
  /** Pattern, case-insensitive, of a lost connection: the other end may continue the test. */
  connectionLost: CONNECTION_LOST,
  versions: versionCommands(),
  /** Ranges of ports, first and last, for the tests' own connections. */
  dataPorts,
} as const;

export const contractText = (): string => `${JSON.stringify(agentContract, null, 2)}\n`;
