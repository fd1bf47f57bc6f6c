import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";
import * as local from "egress-bench/local";
import { type BenchHost, hostsOfPath } from "./bench-host";

/** Way out of the client's subnet. */
enum LocalEgressKind {
  /** A router, without NAT. */
  Direct = "direct",
  /** NAT instance. */
  NatInstance = "nat-instance",
}

/** Flat arguments of the lab's BenchPair. */
export interface LocalBenchPairArgs {
  /** Way out of the client's subnet. */
  egress: LocalEgressKind;
}

/** A client, a way out and a server as network namespaces of this Linux machine, which needs root. */
export class LocalBenchPair extends pulumi.ComponentResource {
  /** Machine that sends the tests, for a benchmark. */
  readonly client: pulumi.Output<BenchHost>;
  /** Machine that the tests end at, for a benchmark. */
  readonly server: pulumi.Output<BenchHost>;
  /** NAT instance, for a benchmark, where there is one. */
  readonly natInstance?: pulumi.Output<BenchHost>;
  /** Addresses that the server sees the client come from. */
  readonly publicIps: pulumi.Output<string[]>;

  constructor(name: string, args: LocalBenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:LocalBenchPair", name, {}, opts);
    const parent = { parent: this };
    const lab = { name: pulumi.getStack(), operatorKey: new SshKeyPair(`${name}-operator`, parent) };
    const server = local.benchServer(`${name}-server`, lab, parent);
    const Egress = args.egress === LocalEgressKind.Direct ? local.DirectEgress : local.NatInstance;
    const egress = new Egress(`${name}-egress`, { server, index: 1 }, parent);
    const { path } = new local.BenchPair(name, { server, egress }, parent);
    const hosts = hostsOfPath(path, server);
    this.client = hosts.client;
    this.server = hosts.server;
    if (hosts.natInstance) this.natInstance = hosts.natInstance;
    this.publicIps = pulumi.output(egress.expectedSourceIps);
    this.registerOutputs({ ...hosts, publicIps: this.publicIps });
  }
}
