import * as pulumi from "@pulumi/pulumi";
import { type Host, type BenchmarkRunArgs as LibraryArgs, BenchmarkRun as LibraryRun } from "egress-bench";
import { parsePlan } from "egress-bench/bench";
import { type BenchHost, hostOf } from "./bench-host";
import type { leftOut, Passed } from "./left-out";

/** Where the machines are. */
enum BenchCloud {
  /** Azure. */
  Azure = "azure",
  /** AWS. */
  Aws = "aws",
  /** Network namespaces of one Linux machine. */
  Local = "local",
  /** Machines that exist already, wherever they are; only the agent is put on them. */
  Hosts = "hosts",
}

/** Kernel settings of clients and servers. */
enum Tuning {
  /** Unchanged. */
  None = "none",
  /** Room for long and fast paths. */
  Throughput = "throughput",
  /** Packets of 1,500 bytes. */
  Mtu1500 = "mtu-1500",
}

/** Flat arguments of the benchmark. */
export interface BenchmarkRunArgs {
  /** Where the machines are, for the results. */
  cloud: BenchCloud;
  /** Machine that sends the tests, such as a pair's `client`. */
  client: pulumi.Input<BenchHost>;
  /** Machine that the tests end at, such as a pair's `server`. */
  server: pulumi.Input<BenchHost>;
  /** NAT instance between them, whose CPU is sampled, such as a pair's `natInstance`. Default: none. */
  natInstance?: pulumi.Input<BenchHost>;
  /** Kind of the way out, such as nat-gateway, for the results. */
  topology: string;
  /** Addresses that the server may see the client come from: any other one fails each case. */
  expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
  /** Name of a preset, or your own plan as JSON. Default: quick. */
  plan?: string;
  /** Id of the run. A new one measures everything afresh; the same one measures only what is missing or changed. Default: 1. */
  runId?: string;
  /** Kernel settings of clients and servers. Default: none. */
  tuning?: Tuning;
}

/** Measures every case of a plan on the path from a client to a server, each case as a resource of its own. */
export class BenchmarkRun extends pulumi.ComponentResource {
  /** All measurements, as a JSON text: Pulumi drops the nulls of an object on its way to another language. */
  readonly results: pulumi.Output<string>;
  /** Small table to read first: one row per case. */
  // biome-ignore lint/suspicious/noExplicitAny: the analyser knows no other type for a document
  readonly summary: pulumi.Output<any>;

  constructor(name: string, args: BenchmarkRunArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:BenchmarkRun", name, {}, opts);
    const { cloud, topology, natInstance, expectedSourceIps, tuning } = args;
    const isExisting = cloud === BenchCloud.Hosts;
    const host = (role: Host["role"], given: pulumi.Input<BenchHost>) => ({
      ...hostOf(`${name}-${role}`, role, given),
      isExisting,
    });
    const client = host("client", args.client);
    const server = host("server", args.server);
    const path = {
      name: topology,
      topology,
      client,
      expectedSourceIps,
      serverAddress: server.dataAddress,
      // Only a client without a NAT has an address that the server can reach.
      clientAddress:
        topology === "direct" ? pulumi.output(expectedSourceIps).apply(([own]) => own as string) : undefined,
      observed: natInstance === undefined ? [] : [host("nat", natInstance)],
      ready: [],
    };
    const passed: Passed<LibraryArgs, typeof leftOut.BenchmarkRun> = {
      cloud,
      tuning,
      plan: planOf(args.plan ?? "quick"),
      runId: args.runId ?? "1",
      deployment: { server, paths: [path], notes: [] },
    };
    const secret = pulumi.output(args.client).privateKey;
    const run = new LibraryRun(name, { ...passed, stack: pulumi.getStack(), secret }, { parent: this });
    this.results = pulumi.jsonStringify(run.results);
    this.summary = run.summary;
    this.registerOutputs({ results: this.results, summary: this.summary });
  }
}

/** The plan of a preset's name or a JSON text. @throws {pulumi.InputPropertyError} for anything else */
function planOf(plan: string): LibraryArgs["plan"] {
  try {
    return parsePlan(plan.trimStart().startsWith("{") ? JSON.parse(plan) : plan);
  } catch (error) {
    throw new pulumi.InputPropertyError({ propertyPath: "plan", reason: (error as Error).message });
  }
}
