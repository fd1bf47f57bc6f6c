/**
 * The contract that every load-test tool fulfils. A tool is a folder here: its section of the plan, the resulting cases, their
 * command, its output's parser, its needs on the hosts, and its wording. Transport lives elsewhere.
 */
import type { z } from "zod";
import type { Question } from "../figures/figure.ts";
import type { BaseCase } from "../plan/case.ts";
import type { FailureClass } from "../results/case.ts";
import type { FailureKind } from "../results/failover.ts";
import type { Measurement } from "../results/measurement.ts";

/** Facts for a parser besides the text: how the tool ended and what it was asked to do. */
export interface ParseContext<C extends BaseCase = BaseCase> {
  readonly case: C;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stderr: string;
  /**
   * Datagrams that one host sent and that did not reach the other, or found a full socket there, by their kernels'
   * counters. Absent or null: not counted.
   */
  readonly lostBetweenHosts?: number | null | undefined;
  /** Datagrams that one host sent and that reached a socket on the other. Absent or null: not counted. */
  readonly arrivedDatagrams?: number | null | undefined;
  /** The same, without other programs' datagrams. Absent or null: the test's ports were not counted apart. */
  readonly testDatagrams?: number | null | undefined;
}

/** The measurement in a tool's output. */
export interface Parsed {
  readonly measurement: Measurement;
  /** The tool's own version; null: unknown. */
  readonly version: string | null;
}

/** A tool that ran without measuring; becomes the results' `failure`. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly failureClass: FailureClass;

  constructor(failureClass: FailureClass, message: string) {
    super(message);
    this.failureClass = failureClass;
  }
}

/** A port of a host, under a name that the tool's services and commands use. */
export interface ToolPort {
  readonly first: number;
  /** Last port of a range. @default first: a single port */
  readonly last?: number;
  readonly protocols: readonly ("tcp" | "udp")[];
  /** Whether a client listens there too, for a tool with a connecting sender. */
  readonly onClient?: true;
}

/** A program that the host agent keeps running, where it is installed. */
export interface Service {
  readonly name: string;
  readonly ends: readonly ("client" | "server")[];
  /** It is ready when it listens on this port. */
  readonly port: number;
  /** Command without a shell; runs in the home directory of the SSH user. */
  readonly command: readonly string[];
}

/** CPU use of a tool's own processes, in percent of one CPU; null: not reported. */
export interface ToolCpu {
  readonly client: number | null;
  readonly server: number | null;
  /** Most CPUs that each end can use. */
  readonly threads: number;
}

/** A case's main traffic, for its price. */
interface Traffic {
  /** Requested rate, all streams of a pair together; 0: unlimited. */
  readonly askedBitsPerSecond: number;
  readonly direction: BaseCase["direction"];
  /** Whether as much flows in the other direction at the same time. @default false */
  readonly bothWays?: boolean | undefined;
}

/** The contract of a tool: everything that plans, agents, firewalls, prices and reports ask of it. */
export interface Tool<C extends BaseCase = BaseCase, I extends z.ZodObject = z.ZodObject> {
  readonly name: C["tool"];

  /** Schema of the plan's section. */
  readonly input: I;
  /** A case with everything decided; no defaults are left to the tool. */
  readonly caseSchema: z.ZodObject;
  /** The cases of one entry of a plan, in a stable order. @throws {PlanError} whose message begins with `where` */
  expand(input: z.output<I>, where: string): C[];
  /** A case with the plan's common duration. @default replaces `durationSeconds` */
  withDuration?(benchCase: C, durationSeconds: number): C;

  /** Executables that must be on the client and the server. */
  readonly executables: readonly string[];
  /** Debian and Ubuntu packages of the executables. @default none: the host agent includes them, or no package does */
  readonly packages?: readonly string[];
  /** Packages of one end alone, installed for plans with cases of the tool. @default none */
  readonly endPackages?: Readonly<Partial<Record<"client" | "server", readonly string[]>>>;
  /** Go modules, with their versions, of client programs that no package provides. @default none */
  readonly clientBuilds?: Readonly<Record<string, string>>;
  /** Whether every machine installs the packages at boot; other tools' are installed for plans that use them. */
  readonly isPreinstalled?: true;
  /** Command that prints the tool's version on a host. @default not known */
  readonly versionCommand?: readonly string[];
  /** Ports of the server that its clients connect to. */
  readonly ports: Readonly<Record<string, ToolPort>>;
  /**
   * Ports of data connections, whose source addresses are checked against the path's. None for a tool that opens tens of
   * thousands of flows: listing them would disturb it. @default its ports
   */
  readonly dataPorts?: readonly ToolPort[];
  /** The tool's processes on the hosts, on these ports. */
  services(ports: Readonly<Record<string, number>>): readonly Service[];
  /** A failure of the path's NAT instance that a case has provoked. @default none */
  provokes?(benchCase: C): FailureKind;
  /** Whether its services are started anew before each case: what one case leaves in them would fail the next one. */
  readonly needsNewServices?: true;
  /** Whether services run only for plans with cases of the tool. */
  readonly isServedOnDemand?: true;

  /** Quoted shell command that one end runs against the other: the client's, except with `senderConnects`. */
  command(benchCase: C, serverAddress: string): string;
  /** Seconds that the command normally takes. */
  expectedSeconds(benchCase: C): number;
  /** Whether the sending end connects: in an ingress case the server runs the command, against the client's address. */
  readonly senderConnects?: true;
  /** Name of the host agent's reducer for this tool's stdout. @default none */
  readonly reducer?: "iperf3" | "none";
  /** Patterns (valid in Python and JavaScript) of output that justifies another attempt. @default none */
  readonly retryOn?: readonly string[];

  /** Reads stdout, whole or reduced by the host agent. @throws {ToolFailure} */
  parse(stdout: string, context: ParseContext<C>): Parsed;
  /** @default unknown */
  cpu?(stdout: string, version: string | null, benchCase: C): ToolCpu | null;
  /** Concurrent flows of a case on one pair; null: not one number. */
  flows(benchCase: C, measurement: Measurement | null): number | null;
  /** Whether all packets are UDP that passes the NAT, so that its counts in and out compare. @default false */
  passesNatAsUdp?(benchCase: C): boolean;

  /**
   * Whether the hosts' samples span one test of this tool and no other traffic. Then egress is read from them where the tool
   * reports only what was sent, or waits longer than data arrives. @default false
   */
  readonly isOneTest?: true;
  /** Whether a case is a series of trials, of which the measurement is one. @default false */
  readonly hasTrials?: true;
  /** Null: negligible. */
  traffic(benchCase: C): Traffic | null;
  /** The case with such a rate for all streams of a pair, in each direction. @default the tool has no rate of its own */
  withRate?(benchCase: C, bitsPerSecond: number): C;
  /** Sent each way by the probe itself, beside its traffic. @default 0: little, whatever the network is */
  probeBitsPerSecond?(benchCase: C): number;
  /** Whether it takes the way out from all who share it, whatever its rate. @default false */
  isHarmful?(benchCase: C): boolean;
  /** Seconds of traffic, or of measuring where there is none. @default the case's duration, warm-up included */
  busySeconds?(benchCase: C): number;

  readonly question: Question;
  /** Short, for the report's headings and axes. */
  title(benchCase: C): string;
}
