/** The registry of tools: one line each. No other code names a tool. */
export { connect } from "./connect/index.ts";
export { failover } from "./failover/index.ts";
export { http } from "./http/index.ts";
export { iperf3 } from "./iperf3/index.ts";
export { irtt } from "./irtt/index.ts";
export { nat } from "./nat/index.ts";
export { ntttcp } from "./ntttcp/index.ts";
export { search } from "./search/index.ts";
export { sockperf } from "./sockperf/index.ts";
