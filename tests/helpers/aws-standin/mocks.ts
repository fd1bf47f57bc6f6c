/**
 * Pulumi's mocks on top of a fake EC2 that checks every input.
 *
 * Mocks never see `dependsOn`, time-outs or `deletedWith`: the engine's tests check those. The order of requests differs from
 * EC2's, so that no machine precedes its way out; refusals because of order do not count here.
 */
import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type Properties, plainProperties } from "../../../tools/command-standin/shared/envelopes.ts";
import { catalogue, type Registered, runMocked } from "../run-mocked.ts";
import { argumentProblems, inputProblems } from "./check-inputs.ts";
import { FakeEc2 } from "./fake-ec2.ts";
import { ruleProblems, rulesOf } from "./resource-rules.ts";

interface AwsRegistered extends Registered {
  // biome-ignore lint/suspicious/noExplicitAny: outputs of any resource type, read by tests
  readonly outputs: any;
}

export interface Mocked<T> {
  readonly result: T;
  /** In the order of registration. */
  readonly resources: readonly AwsRegistered[];
  /** Tokens of the provider's functions that were called, each once. */
  readonly functions: readonly string[];
  /** Providers of all resources and functions, each once; empty for the stack's own. */
  readonly providers: ReadonlySet<string>;
  /** The inputs of the resource with this type (its last part) and name. */
  inputs(type: string, name: string): Registered["inputs"];
  outputs(type: string, name: string): AwsRegistered["outputs"];
  id(type: string, name: string): string;
  /** `Type name` of each AWS resource, sorted. */
  aws(): string[];
}

/** An existing VPC, with a public and a private subnet, a public one in another zone, and a NAT gateway. */
export const existing = {
  vpcId: "vpc-12345678",
  subnetId: "subnet-12345678",
  privateSubnetId: "subnet-23456789",
  otherZoneSubnetId: "subnet-34567890",
  privateRouteTableId: "rtb-23456789",
  otherRouteTableId: "rtb-34567890",
  natGatewayId: "nat-12345678",
  natGatewayIp: "198.51.100.7",
} as const;

export function withExisting(ec2: FakeEc2): FakeEc2 {
  const add = (id: string, kind: string, inputs: Properties) => {
    ec2.state.resources[id] = { id, kind, inputs, outputs: { ...inputs, id } };
  };
  const { vpcId } = existing;
  const availabilityZone = "us-east-1a";
  add(vpcId, "Vpc", { cidrBlock: "10.0.0.0/16" });
  add(existing.subnetId, "Subnet", { vpcId, availabilityZone, cidrBlock: "10.0.0.0/24" });
  add(existing.privateSubnetId, "Subnet", { vpcId, availabilityZone, cidrBlock: "10.0.1.0/24" });
  const other = { vpcId, availabilityZone: "us-east-1b", cidrBlock: "10.0.2.0/24" };
  add(existing.otherZoneSubnetId, "Subnet", other);
  add(existing.privateRouteTableId, "RouteTable", { vpcId });
  add(existing.otherRouteTableId, "RouteTable", { vpcId });
  add(existing.natGatewayId, "NatGateway", { subnetId: existing.subnetId, publicIp: existing.natGatewayIp });
  return ec2;
}

/** Runs a program against mocks and waits until everything is registered. @throws the first refusal */
export async function mocked<T>(program: () => T | Promise<T>, partition = "aws"): Promise<Mocked<T>> {
  const ec2 = withExisting(new FakeEc2());
  ec2.state.partition = partition;
  const resources: AwsRegistered[] = [];
  const functions = new Set<string>();
  const providers = new Set<string>();
  const refusals: Error[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource({ type, name, inputs: raw, provider = "" }) {
        const inputs = plainProperties(raw);
        if (!type.startsWith("aws:")) {
          const state = { ...inputs, ...outputsOf(type, name, inputs) };
          resources.push({ type, name, inputs, outputs: state });
          return { id: `${name}-id`, state };
        }
        providers.add(provider);
        const named = rulesOf(type).named ? { name: `${name}-0`, ...inputs } : inputs;
        const problems = [...inputProblems(type, named), ...ruleProblems(type, named)];
        if (problems.length > 0) {
          // Thrown here it would be reported once for each dependent resource.
          refusals.push(new Error(problems.join("\n")));
        }
        const { id, outputs } = ec2.createUnchecked(type, name, named);
        resources.push({ type, name, inputs, outputs });
        return { id, state: outputs };
      },
      call({ token, inputs, provider = "" }) {
        functions.add(token);
        providers.add(provider);
        const args = plainProperties(inputs);
        const problems = argumentProblems(token, args);
        if (problems.length > 0) {
          throw new Error(problems.join("\n"));
        }
        return ec2.call(token, args);
      },
    },
    "egress-bench",
    "test",
    false,
  );
  const result = await runMocked(program);
  if (refusals[0] !== undefined) {
    throw refusals[0];
  }
  const { names, find } = catalogue(resources, "aws:");
  return {
    result,
    resources,
    functions: [...functions],
    providers,
    aws: names,
    inputs: (type, name) => find(type, name).inputs,
    outputs: (type, name) => find(type, name).outputs,
    id: (type, name) => find(type, name).outputs.id,
  };
}

function outputsOf(type: string, name: string, inputs: Properties): Properties {
  switch (type) {
    case "command:local:Command":
      return {
        stdout: JSON.stringify({
          privateKey: `private key of ${name}: ${incompressible(name)}`,
          publicKey: `ssh-ed25519 ${name}`,
        }),
      };
    case "pulumi:index:Stash":
      return { output: inputs.input ?? null };
    default:
      return { stdout: "" };
  }
}

/** Incompressible text of the length of a key in its file's base64. */
function incompressible(name: string): string {
  return createHash("shake256", { outputLength: 260 }).update(name).digest("base64");
}
