/**
 * The contract every load-test tool fulfils. A tool is a folder here: what a person may write for it, the cases that
 * this makes, their command, what its output means, what it needs on the hosts, and what is said about it. Transport
 * lives elsewhere.
 */
import type { z } from "zod";
import type { Question } from "../figures/figure.ts";
import type { BaseCase } from "../plan/case.ts";
import type { FailureClass } from "../results/case.ts";
import type { FailureKind } from "../results/failover.ts";
import type { Measurement } from "../results/measurement.ts";

/** Facts a parser may need beside the text: how the tool ended and what it was asked to do. */
export interface ParseContext<C extends BaseCase = BaseCase> {
  readonly case: C;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stderr: string;
  /**
   * Datagrams that one host sent and that did not come as far as the other, or found no room there, as their kernels
   * count. Absent or null: not counted.
   */
  readonly lostBetweenHosts?: number | null | undefined;
  /** Datagrams that one host sent and that reached the other and found room there. Absent or null: not counted. */
  readonly arrivedDatagrams?: number | null | undefined;
}

/** The measurement in a tool's output. */
export interface Parsed {
  readonly measurement: Measurement;
  /** The tool's own; null: it does not tell. */
  readonly version: string | null;
}

/** A tool that ran and did not measure: what the results' `failure` says. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly failureClass: FailureClass;

  constructor(failureClass: FailureClass, message: string) {
    super(message);
    this.failureClass = failureClass;
  }
}

/** A port of a host, by a name that the tool's services and commands know it by. */
export interface ToolPort {
  readonly first: number;
  /** @default first: a single port */
  readonly last?: number;
  readonly protocols: readonly ("tcp" | "udp")[];
  /** Also a client listens there, of a tool whose sender connects. */
  readonly onClient?: true;
}

/** A program that the host agent keeps running, where it is installed. */
export interface Service {
  readonly name: string;
  readonly ends: readonly ("client" | "server")[];
  /** It is ready when it listens here. */
  readonly port: number;
  /** Runs in the home directory of the SSH user; without a shell. */
  readonly command: readonly string[];
}

/** CPU use of a tool's own processes, in percent of one CPU; null: it does not tell. */
export interface ToolCpu {
  readonly client: number | null;
  readonly server: number | null;
  /** CPUs that each end can use at most. */
  readonly threads: number;
}

/** The bulk of what a case sends, for its price. */
interface Traffic {
  /** Asked for, all streams of a pair together; 0: as much as goes. */
  readonly askedBitsPerSecond: number;
  readonly direction: BaseCase["direction"];
}

/** The contract of a tool: all that plans, agents, firewalls, prices and reports ask of it. */
export interface Tool<C extends BaseCase = BaseCase, I extends z.ZodObject = z.ZodObject> {
  readonly name: C["tool"];

  /** Schema of the plan's section. */
  readonly input: I;
  /** A case with everything decided; no defaults are left to the tool. */
  readonly caseSchema: z.ZodObject;
  /** The cases of one entry of a plan, in a stable order. @throws {PlanError} whose message begins with `where` */
  expand(input: z.output<I>, where: string): C[];
  /** A case with the duration that a plan wants for all. @default replaces `durationSeconds` */
  withDuration?(benchCase: C, durationSeconds: number): C;

  /** Executables that must be on the client and the server. */
  readonly executables: readonly string[];
  /** Debian and Ubuntu packages that have them. @default none: they are a part of the host agent, or of no package */
  readonly packages?: readonly string[];
  /** Packages of one end alone; installed where a plan has cases of the tool. @default none */
  readonly endPackages?: Readonly<Partial<Record<"client" | "server", readonly string[]>>>;
  /** Programs of the client that no package has: Go modules, with their versions. @default none */
  readonly clientBuilds?: Readonly<Record<string, string>>;
  /** Every machine boots with the packages. Those of other tools are installed when a plan wants them. */
  readonly isPreinstalled?: true;
  /** Command that prints the tool's version on a host. @default not known */
  readonly versionCommand?: readonly string[];
  /** Ports of the server that its clients connect to. */
  readonly ports: Readonly<Record<string, ToolPort>>;
  /**
   * Ports of the connections that its figures are of, whose source addresses are held against the path's. None of a tool
   * that opens flows by the ten thousand: to list them would disturb it. @default its ports
   */
  readonly dataPorts?: readonly ToolPort[];
  /** The tool's processes on the hosts, on these ports. */
  services(ports: Readonly<Record<string, number>>): readonly Service[];
  /** A failure of the path's NAT instance that a case has provoked. @default none */
  provokes?(benchCase: C): FailureKind;
  /** Services run only where a plan has cases of the tool. */
  readonly isServedOnDemand?: true;

  /** Shell command, quoted, that one end runs against the other: the client, but for `senderConnects`. */
  command(benchCase: C, serverAddress: string): string;
  /** Seconds the command takes when all goes well. */
  expectedSeconds(benchCase: C): number;
  /** The end that sends connects: of an ingress case the server runs the command, against the client's address. */
  readonly senderConnects?: true;
  /** Name of the host agent's reducer for this tool's stdout. @default none */
  readonly reducer?: "iperf3" | "none";
  /** Patterns (Python and JavaScript regular expressions alike) of output that is worth another attempt. @default none */
  readonly retryOn?: readonly string[];

  /** Reads stdout, whole or reduced by the host agent. @throws {ToolFailure} */
  parse(stdout: string, context: ParseContext<C>): Parsed;
  /** @default unknown */
  cpu?(stdout: string, version: string | null, benchCase: C): ToolCpu | null;
  /** Concurrent flows of a case on one pair; null: not one number. */
  flows(benchCase: C, measurement: Measurement | null): number | null;
  /** All packets are UDP and meant to pass a NAT, not to end there: only then do those into it and out of it compare. @default false */
  passesNatAsUdp?(benchCase: C): boolean;

  /** Null: next to nothing. */
  traffic(benchCase: C): Traffic | null;
  /** Seconds that the traffic, or the measuring where there is none, lasts. @default the case's, warm-up included */
  busySeconds?(benchCase: C): number;

  readonly question: Question;
  /** Short, for the report's headings and axes. */
  title(benchCase: C): string;
}
