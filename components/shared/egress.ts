/**
 * The contract that every egress topology fulfils, so that stacks, benchmark and results do not know which
 * one they deal with.
 */
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
  /** Name of the topology, as in the registry and in results. Its record says which of its addresses a server is reached at. */
  readonly topology: string;
  /** Attachment of a client that uses it. */
  readonly attachment: Attachment;
  /** Hosts it adds that are observed during a run: the NAT machine. */
  readonly hosts: readonly Host[];
  /**
   * Source addresses the server may see, used for the path proof and for the server's firewall.
   * Empty where the cloud does not tell them beforehand.
   */
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
  /** Source addresses that prove another path than the one to be measured. @default none */
  readonly forbiddenSourceIps?: pulumi.Input<pulumi.Input<string>[]> | undefined;
  /**
   * Seconds after which the way forgets a TCP connection that is silent, such as iperf3's control connection during a long
   * case. @default not known, or longer than any case
   */
  readonly idleTimeoutSeconds?: number | undefined;
  /** Limits of one connection. @default unknown, or no such limit */
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** SKU or tier, where the cloud has several. @default there is one kind only */
  readonly kind?: string | undefined;
  /** Resources to wait for before a client can reach the internet. */
  readonly ready: readonly pulumi.Resource[];
}

/** A client, the server it measures against, and how that must see it. */
export interface PathPair {
  readonly client: Host;
  /** A server of its own, where the cloud does not let this path end at the deployment's. */
  readonly server?: Host;
  /** Address of the server as this client reaches it. */
  readonly serverAddress: pulumi.Input<string>;
  /** Address of the client as the server reaches it. Undefined where it cannot connect: behind a NAT. */
  readonly clientAddress?: pulumi.Input<string> | undefined;
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
  /** Addresses that would prove a wrong path. */
  readonly forbiddenSourceIps?: pulumi.Input<pulumi.Input<string>[]>;
}

/** A topology as the benchmark sees it: a client and a server, or more of both, and what lies between. */
export interface EgressPath extends PathPair {
  /** Unique within the stack. */
  readonly name: string;
  /** Name of the topology, as in results. */
  readonly topology: string;
  /**
   * Further clients of the same egress, each with a server of its own, for cases that several measure together. All
   * clients reach the first one's server, where they agree on the start. @default none
   */
  readonly extraPairs?: readonly (PathPair & { readonly server: Host })[];
  /** The egress's. @default not known, or longer than any case */
  readonly idleTimeoutSeconds?: number | undefined;
  /** The egress's. @default not known, or no such limit */
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** The egress's. @default there is one kind only */
  readonly kind?: string | undefined;
  /** Price of hosts that exist, of which no cloud has a list. @default none */
  readonly ownPrice?: OwnPrice | undefined;
  /** Hosts between client and server that are sampled during a run. */
  readonly observed: readonly Host[];
  /** Resources to wait for before the path carries traffic. */
  readonly ready: readonly pulumi.Resource[];
}

/** A cloud's deployment for the benchmark. */
export interface Deployment {
  /** The host that paths without a server of their own end at. */
  readonly server: Host;
  /** The paths to measure, each with a name of its own. */
  readonly paths: readonly EgressPath[];
  /** Notes for the results, e.g. that all hosts share one machine. */
  readonly notes: readonly string[];
}

/** Whether traffic reaches the server at its private address, as the topology's record says; public without a record. */
export function isPrivate({ topology }: Pick<Egress<unknown>, "topology">): boolean {
  return topologyNamed(topology)?.serverSide === "private";
}

/**
 * Address at which the server can connect to the client: what it sees of one with a public address of its own, which
 * nothing translates but one to one. Undefined for all others.
 */
export function reachableAt(
  egress: Pick<Egress<{ readonly publicIp?: unknown }>, "attachment" | "expectedSourceIps">,
): pulumi.Output<string> | undefined {
  return egress.attachment.publicIp === undefined
    ? undefined
    : pulumi.output(egress.expectedSourceIps).apply(([own]) => own as string);
}
