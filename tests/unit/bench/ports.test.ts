import { expect, test } from "vitest";
import { tools } from "../../../bench/tools/index.ts";
import { ntttcpPorts } from "../../../bench/tools/ntttcp/plan.ts";
import { type PortRange, receiverPorts, testPorts } from "../../../bench/tools/ports.ts";
import { ports } from "../../helpers/tool-ports.ts";

const all = (ranges: readonly PortRange[]) =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
const streams = (first: number) => Array.from({ length: ntttcpPorts.streams }, (_, at) => first + at);
const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

test("a server's firewall has one rule per protocol, with exactly the tools' ports", () => {
  expect(testPorts.tcp).toHaveLength(1);
  expect(testPorts.udp).toHaveLength(1);
  const { connect, agent, iperf3, sockperf, nat, natOther } = ports;
  const synchronization = [ntttcpPorts.tcp - 1, ntttcpPorts.udp - 1];
  const tcp = [connect, agent, iperf3, sockperf, nat, ...synchronization, ...streams(ntttcpPorts.tcp)];
  const udp = [iperf3, sockperf, nat, natOther, ...streams(ntttcpPorts.udp)];
  expect(all(testPorts.tcp)).toEqual(expect.arrayContaining(tcp));
  expect(all(testPorts.udp)).toEqual(expect.arrayContaining(udp));
  for (const protocol of ["tcp", "udp"] as const) {
    const own = Object.values(tools).flatMap((tool) =>
      Object.values(tool.ports).flatMap(({ first, last = first, protocols }) =>
        protocols.includes(protocol) ? all([{ first, last }]) : [],
      ),
    );
    const agents = protocol === "tcp" ? [agent] : [];
    // Each port of one program.
    expect(all(testPorts[protocol])).toEqual(sorted([...own, ...agents]));
  }
});

test("a client's firewall admits only the agent's port and ntttcp's", () => {
  const { tcp, udp } = ntttcpPorts;
  expect(all(receiverPorts.tcp)).toEqual(sorted([ports.agent, tcp - 1, ...streams(tcp), udp - 1]));
  expect(all(receiverPorts.udp)).toEqual(streams(udp));
});
