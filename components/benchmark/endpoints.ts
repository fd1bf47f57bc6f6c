import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_PORT,
  type Case,
  failedReport,
  isReversed,
  type RunReport,
  type RunSpec,
} from "../../bench/index.ts";
import type { EgressPath, PathPair } from "../shared/egress.ts";
import type { Host } from "../shared/host.ts";

/** The end that runs a case's command, and its target. */
export interface Endpoints {
  /** Host that runs the command. */
  readonly runner: Host;
  /** Address of the other end, as the runner reaches it. */
  readonly address: pulumi.Input<string>;
  /** Source addresses that the other end must see, and those that would prove a wrong path. */
  readonly expected: EgressPath["expectedSourceIps"];
  readonly forbidden: EgressPath["expectedSourceIps"];
  /** Hosts to sample, at addresses that the runner reaches. */
  readonly observe: pulumi.Output<RunSpec["observe"]>;
}

/**
 * The ends of a case. The client runs it against the server, unless the tool's sender connects and the server is to send.
 * Undefined where the server would have to connect and cannot reach the client.
 */
export function endpointsOf(
  path: PathPair & Pick<EgressPath, "observed">,
  shared: Host,
  benchCase: Case,
): Endpoints | undefined {
  const server = path.server ?? shared;
  const { client, serverAddress, clientAddress, observed } = path;
  const observe = (runner: Host, others: readonly (readonly [Host, pulumi.Input<string>])[]) =>
    pulumi.all(
      [
        [runner, "127.0.0.1"] as const,
        ...others,
        ...observed.map((host) => [host, host.dataAddress] as const),
      ].map(([host, address]) => observation(host, address)),
    );
  if (!isReversed(benchCase)) {
    return {
      runner: client,
      address: serverAddress,
      expected: path.expectedSourceIps,
      forbidden: path.forbiddenSourceIps ?? [],
      observe: observe(client, [[server, serverAddress]]),
    };
  }
  return clientAddress === undefined
    ? undefined
    : {
        runner: server,
        address: clientAddress,
        expected: [serverAddress],
        forbidden: [],
        observe: observe(server, [[client, clientAddress]]),
      };
}

function observation(host: Host, address: pulumi.Input<string>): pulumi.Output<RunSpec["observe"][number]> {
  return pulumi
    .output(address)
    .apply((at) => ({ host: host.name, role: host.role, address: at, port: AGENT_PORT }));
}

/** The report of a case that neither end of a path can run. */
export function unreachableClient({ tool }: Case): RunReport {
  return failedReport(
    "no-route",
    `${tool}'s sender connects, so that ingress needs a client that the server can reach, and this one is behind a NAT: measure ingress with iperf3 here, which the client starts`,
  );
}
