/** The contract that every egress topology fulfils, so that stacks, benchmark and results need no special cases. */
import * as pulumi from "@pulumi/pulumi";
import type { ConnectionLimits, OwnPrice } from "../../bench/results/index.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import type { Host } from "./host.ts";

/**
 * One way out of a private subnet.
 *
 * @typeParam Attachment What a client's subnet and network interface need to use it; each cloud has its own.
 */
export interface Egress<Attachment> {
  /** Name of the topology, as in the registry and in results. Its record says at which address clients reach a server. */
  readonly topology: string;
  /** Attachment of a client that uses it. */
  readonly attachment: Attachment;
  /** Hosts it adds that are observed during a run: the NAT machine. */
  readonly hosts: readonly Host[];
  /**
   * Source addresses the server may see, used for the path proof and for the server's firewall. Empty where the cloud does
   * not announce them beforehand.
   */
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
  /** Source addresses that prove a wrong path. @default none */
  readonly forbiddenSourceIps?: pulumi.Input<pulumi.Input<string>[]> | undefined;
  /**
   * Seconds after which the way out forgets a silent TCP connection, such as iperf3's control connection during a long
   * case.
   * @default unknown, or longer than any case
   */
  readonly idleTimeoutSeconds?: number | undefined;
  /** Limits of one connection. @default unknown, or none */
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** SKU or tier, where the cloud has several. @default a single kind */
  readonly kind?: string | undefined;
  /** Resources to wait for before a client can reach the internet. */
  readonly ready: readonly pulumi.Resource[];
}

/** A client, its server, and the source addresses that the server must see. */
export interface PathPair {
  readonly client: Host;
  /** The client's own server, where the cloud does not let this path end at the shared one. */
  readonly server?: Host;
  /** Address of the server as this client reaches it. */
  readonly serverAddress: pulumi.Input<string>;
  /** Address of the client as the server reaches it. Undefined behind a NAT, where the server cannot connect. */
  readonly clientAddress?: pulumi.Input<string> | undefined;
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
  /** Source addresses that would prove a wrong path. */
  readonly forbiddenSourceIps?: pulumi.Input<pulumi.Input<string>[]>;
}

type OfEgress = "topology" | "expectedSourceIps" | "idleTimeoutSeconds" | "connectionLimits" | "kind";

/** A topology as the benchmark sees it: one or more clients with servers, and the way between them. */
export interface EgressPath extends PathPair, Pick<Egress<unknown>, OfEgress> {
  /** Unique within the stack. */
  readonly name: string;
  /**
   * Further clients of the same egress, each with a server of its own, for cases with several pairs. All clients reach the
   * first one's server, where they agree on the start.
   * @default none
   */
  readonly extraPairs?: readonly (PathPair & { readonly server: Host })[];
  /** Price of existing hosts, which no cloud's price list has. @default none */
  readonly ownPrice?: OwnPrice | undefined;
  /** Hosts between client and server that are sampled during a run. */
  readonly observed: readonly Host[];
  /** Resources to wait for before the path carries traffic. */
  readonly ready: readonly pulumi.Resource[];
}

/** A cloud's deployment for the benchmark. */
export interface Deployment {
  /** The server that paths without their own end at. */
  readonly server: Host;
  /** The paths to measure, each with its own name. */
  readonly paths: readonly EgressPath[];
  /** Notes for the results, e.g. that all hosts share one machine. */
  readonly notes: readonly string[];
}

/** Source addresses that servers see of several ways out or clients, each once. */
export function sourcesOf(seen: readonly Pick<PathPair, "expectedSourceIps">[]): pulumi.Output<string[]> {
  const all = pulumi.output(seen.map(({ expectedSourceIps }) => expectedSourceIps));
  return all.apply((addresses) => [...new Set(addresses.flat())]);
}

/** Whether traffic reaches the server at its private address, by the topology's record; public without a record. */
export function isPrivate({ topology }: Pick<Egress<unknown>, "topology">): boolean {
  return topologyNamed(topology)?.serverSide === "private";
}

/**
 * Address at which the server can connect to the client: the source address of a client with its own public address, which
 * is translated one to one at most. Undefined for all others.
 */
export function reachableAt(
  egress: Pick<Egress<{ readonly publicIp?: unknown }>, "attachment" | "expectedSourceIps">,
): pulumi.Output<string> | undefined {
  return egress.attachment.publicIp === undefined
    ? undefined
    : pulumi.output(egress.expectedSourceIps).apply(([own]) => own as string);
}

export function pathOf(
  egress: Pick<Egress<unknown>, OfEgress>,
  ends: Omit<EgressPath, OfEgress>,
): EgressPath {
  const { topology, expectedSourceIps, idleTimeoutSeconds, connectionLimits, kind } = egress;
  return { ...ends, topology, expectedSourceIps, idleTimeoutSeconds, connectionLimits, kind };
}
