/** The benchmark of one path, for programs that cannot build a deployment's objects. */
import * as pulumi from "@pulumi/pulumi";
import { BenchmarkRun, type BenchmarkRunArgs, benchmarkRunSchema, type Host } from "egress-bench";
import { parsePlan } from "egress-bench/bench";
import { z } from "zod";
import { hostInput, hostOf, sameAs, text } from "./hosts";

/** The cloud of machines that exist already. */
const EXISTING: BenchmarkRunArgs["cloud"] = "hosts";

export const benchmarkArgs = z.strictObject({
  cloud: sameAs(benchmarkRunSchema, "cloud"),
  tuning: sameAs(benchmarkRunSchema, "tuning"),
  client: hostInput.meta({ description: "Machine that sends the tests, such as a pair's `client`." }),
  server: hostInput.meta({ description: "Machine that the tests end at, such as a pair's `server`." }),
  natInstance: hostInput.optional().meta({
    description: "NAT instance between them, whose CPU is sampled, such as a pair's `natInstance`.",
    fallback: "none",
  }),
  topology: z.string().meta({ description: "Kind of the way out, such as nat-gateway, for the results." }),
  expectedSourceIps: z.union([z.custom((value) => pulumi.Output.isInstance(value)), z.array(text)]).meta({
    description: "Addresses that the server may see the client come from; any other one fails each case.",
  }),
  plan: z
    .string()
    .optional()
    .meta({ description: "Name of a preset, or your own plan as JSON.", default: "quick" }),
  runId: sameAs(benchmarkRunSchema, "runId").optional().meta({ default: "1" }),
});

type Args = Pick<BenchmarkRunArgs, "cloud" | "tuning"> & {
  readonly [machine in "client" | "server"]: pulumi.Input<Record<string, unknown>>;
} & {
  readonly natInstance?: pulumi.Input<Record<string, unknown>>;
  readonly topology: string;
  readonly expectedSourceIps: pulumi.Input<string[]>;
  readonly plan?: string;
  readonly runId?: string;
};

/** Makes the benchmark. @throws {pulumi.InputPropertyError} for a plan that is neither a preset's name nor a plan's JSON */
export function benchmarkRun(name: string, args: Args, options: pulumi.ComponentResourceOptions) {
  const { topology, natInstance, expectedSourceIps, tuning } = args;
  const host = (role: Host["role"], given: Args["client"]) => ({
    ...hostOf(`${name}-${role}`, role, given),
    isExisting: args.cloud === EXISTING,
  });
  const [client, server] = [host("client", args.client), host("server", args.server)];
  const path = {
    ...{ name: topology, topology, client, expectedSourceIps, serverAddress: server.dataAddress, ready: [] },
    // Only a client without a NAT has an address that the server can reach.
    clientAddress:
      topology === "direct" ? pulumi.output(expectedSourceIps).apply(([own]) => own as string) : undefined,
    observed: natInstance === undefined ? [] : [host("nat", natInstance)],
  };
  const secret = pulumi.output(args.client).apply(({ privateKey }) => privateKey as string);
  const resource = new BenchmarkRun(
    name,
    {
      ...{ cloud: args.cloud, tuning, secret, stack: pulumi.getStack(), runId: args.runId ?? "1" },
      plan: planOf(args.plan ?? "quick"),
      deployment: { server, paths: [path], notes: [] },
    },
    options,
  );
  return {
    resource,
    outputs: { results: pulumi.jsonStringify(resource.results), summary: resource.summary },
  };
}

function planOf(plan: string): BenchmarkRunArgs["plan"] {
  try {
    return parsePlan(plan.trimStart().startsWith("{") ? JSON.parse(plan) : plan);
  } catch (error) {
    throw new pulumi.InputPropertyError({ propertyPath: "plan", reason: (error as Error).message });
  }
}
