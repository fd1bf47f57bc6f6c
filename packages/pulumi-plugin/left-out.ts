/**
 * Options of the library's classes that the flat arguments leave out, with the reason. An option in neither place fails the
 * type check (`tests/release/plugin-options.test.ts`), so that no new one is forgotten.
 */
import type { BenchmarkRunArgs } from "egress-bench";
import type * as aws from "egress-bench/aws";
import type * as azure from "egress-bench/azure";

/** Options of the class that are left out, with the reason. */
type LeftOut<Args> = Partial<Record<keyof Args, string>>;

/** Options that a front passes to a class: all but those left out. */
export type Passed<Args, Left> = {
  [Option in keyof Required<Omit<Args, keyof Left>>]: Option extends keyof Args ? Args[Option] : never;
};

const routes = {
  internetReady: "resources to wait for; the component's own option dependsOn does it",
  privateRouteTableCount: "privateRouteTableIds is a list here, whose length is known",
} as const satisfies LeftOut<aws.NatInstanceArgs> & LeftOut<aws.NatGatewayEgressArgs>;

type NatOptions = NonNullable<aws.NatInstanceArgs["nat"]>;

/** Options of any cloud's NAT instance. */
export const leftOutOfNat = {
  outInterface: "in a cloud the device of the default route is the right one",
  privateIpv6Cidrs: "needs IPv6 subnets and routes, which these components do not make",
  inbound: "is a list of records, which flat arguments cannot hold; the library has it",
  nat64: "needs the same subnets and routes",
} as const satisfies LeftOut<NatOptions>;

/** By component. */
export const leftOut = {
  AwsNatInstance: {
    ...routes,
    securityGroup: "the default needs nothing else; the library has `stateful`",
    cloudWatch: "makes a role too; metricsDirectory hands the same figures to an agent of your own",
    natGatewayFallback:
      "makes roles and a function too, which a program that asks for them should see; the library has it",
    roles: "only for a pair's role here; for a stack-wide boundary use a transformation",
  },
  AwsFckNat: { ...routes, observed: "whether a benchmark logs in; these are not benchmarked" },
  AwsNatGatewayEgress: { ...routes, zones: "a map of numbers or lists, which is not flat; zone names one" },
  AzureNatInstance: {
    routeTable:
      "routeTableId is an output here, which would be empty with a table of your own; the library has it",
  },
  AzureNatGatewayEgress: {},
  BenchmarkRun: { stack: "is always the stack of the program", secret: "is the client's private key" },
} as const satisfies {
  AwsNatInstance: LeftOut<aws.NatInstanceArgs>;
  AwsFckNat: LeftOut<aws.FckNatArgs>;
  AwsNatGatewayEgress: LeftOut<aws.NatGatewayEgressArgs>;
  AzureNatInstance: LeftOut<azure.NatInstanceArgs>;
  AzureNatGatewayEgress: LeftOut<azure.NatGatewayEgressArgs>;
  BenchmarkRun: LeftOut<BenchmarkRunArgs>;
};
