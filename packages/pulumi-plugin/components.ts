/** The components by their type: arguments, outputs, and how the library makes them. */
import type * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";
import * as aws from "egress-bench/aws";
import * as azure from "egress-bench/azure";
import { z } from "zod";
import { benchmarkArgs, benchmarkRun } from "./benchmark-run";
import {
  awsPair,
  awsPairArgs,
  azurePair,
  azurePairArgs,
  localPair,
  localPairArgs,
  pairOutputs,
} from "./pairs";
import type { ComponentTypes } from "./schema";

interface Made {
  readonly resource: pulumi.Resource;
  readonly outputs: pulumi.Inputs;
}

interface Component extends ComponentTypes {
  construct(name: string, args: unknown, options: pulumi.ComponentResourceOptions): Made;
}

/** A component with its types; arguments are checked by the library's class. */
function component<Args>(
  description: string,
  args: unknown,
  outputs: z.ZodRawShape,
  construct: (name: string, args: Args, options: pulumi.ComponentResourceOptions) => Made,
): Component {
  return { description, args, outputs: z.object(outputs), construct } as unknown as Component;
}

const text = (description: string) => z.string().meta({ description });
const publicIps = z.array(z.string()).meta({ description: "Public addresses that servers see." });

interface Gateway extends pulumi.Resource {
  readonly gateway: { readonly id: pulumi.Output<string> };
  readonly expectedSourceIps: pulumi.Output<string[]>;
}

function natGateway<Args>(
  description: string,
  schema: unknown,
  NatGatewayEgress: new (name: string, args: Args, options: pulumi.ComponentResourceOptions) => Gateway,
): Component {
  const natGatewayId = text("NAT gateway, for your own route tables or subnets.");
  return component(description, schema, { natGatewayId, publicIps }, (name, args: Args, options) => {
    const resource = new NatGatewayEgress(name, args, options);
    return {
      resource,
      outputs: { natGatewayId: resource.gateway.id, publicIps: resource.expectedSourceIps },
    };
  });
}

export const components: Readonly<Record<string, Component>> = {
  "egress-bench:index:SshKeyPair": component(
    "An Ed25519 key pair, made once and kept in the stack.",
    z.object({}),
    {
      publicKey: text("Public key."),
      privateKey: text("Private key, in OpenSSH's format.").meta({ secret: true }),
    },
    (name, _: object, options) => {
      const resource = new SshKeyPair(name, options);
      return { resource, outputs: { publicKey: resource.publicKey, privateKey: resource.privateKey } };
    },
  ),
  "egress-bench:aws:NatInstance": component(
    "A NAT instance: one Linux machine with an nftables masquerade, behind an interface that outlives it, or a pair.",
    aws.natInstanceSchema,
    { networkInterfaceId: text("Forwarding interface; empty for a pair, which has two."), publicIps },
    (name, args: aws.NatInstanceArgs, options) => {
      const resource = new aws.NatInstance(name, args, options);
      const networkInterfaceId = args.highAvailability === undefined ? resource.networkInterfaceId : "";
      return { resource, outputs: { networkInterfaceId, publicIps: resource.expectedSourceIps } };
    },
  ),
  "egress-bench:aws:FckNat": component(
    "A NAT instance of the fck-nat image, behind an interface that outlives it.",
    aws.fckNatSchema,
    { publicIps },
    (name, args: aws.FckNatArgs, options) => {
      const resource = new aws.FckNat(name, args, options);
      return { resource, outputs: { publicIps: resource.expectedSourceIps } };
    },
  ),
  "egress-bench:aws:NatGatewayEgress": natGateway(
    "A managed NAT gateway in one availability zone or a whole VPC, with its public addresses and routes.",
    aws.natGatewaySchema,
    aws.NatGatewayEgress,
  ),
  "egress-bench:azure:NatInstance": component(
    "A NAT instance: one Linux machine with an nftables masquerade, its security group and a route table, or a pair.",
    azure.natInstanceSchema,
    {
      routeTableId: text("Route table for the clients' subnets; empty with a table of your own."),
      nextHopIpAddress: text("Address that a 0.0.0.0/0 route of your own leads to."),
      publicIps,
    },
    (name, args: azure.NatInstanceArgs, options) => {
      const resource = new azure.NatInstance(name, args, options);
      const { routeTableId = "" } = resource.attachment;
      const { nextHopIpAddress, expectedSourceIps } = resource;
      return { resource, outputs: { routeTableId, nextHopIpAddress, publicIps: expectedSourceIps } };
    },
  ),
  "egress-bench:azure:NatGatewayEgress": natGateway(
    "A managed NAT gateway with its public addresses, to be attached to subnets of one virtual network.",
    azure.natGatewaySchema,
    azure.NatGatewayEgress,
  ),
  "egress-bench:index:AwsBenchPair": component(
    "A client that reaches a server through a way out, each in a VPC of its own (10.64.0.0/18 and 10.64.64.0/18).",
    awsPairArgs,
    pairOutputs,
    awsPair,
  ),
  "egress-bench:index:AzureBenchPair": component(
    "A client that reaches a server through a way out, each in a network of its own (10.64.0.0/20 and 10.64.16.0/20).",
    azurePairArgs,
    pairOutputs,
    azurePair,
  ),
  "egress-bench:index:LocalBenchPair": component(
    "A client, a way out and a server as network namespaces of this Linux machine, which needs root.",
    localPairArgs,
    pairOutputs,
    localPair,
  ),
  "egress-bench:index:BenchmarkRun": component(
    "Measures every case of a plan on the path from a client to a server, each case as a resource of its own.",
    benchmarkArgs,
    {
      results: text(
        "All measurements, as JSON: an object would lose its nulls on the way to another language.",
      ),
      summary: text("The small table to read first, as text: a row per case."),
    },
    benchmarkRun,
  ),
};
