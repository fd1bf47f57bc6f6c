/**
 * The component plugin: `pulumi package add` gives it to programs in Python, Go, Node and YAML (C# and Java: not tested).
 *
 * Its classes are flat fronts of the library's, since Pulumi's analyser accepts no unions.
 */
import { componentProviderHost } from "@pulumi/pulumi/provider/experimental";
import { AwsBenchPair } from "./aws-bench-pair";
import { AwsFckNat, AwsNatInstance } from "./aws-nat";
import { AwsNatGatewayEgress } from "./aws-nat-gateway";
import { AzureNatGatewayEgress, AzureNatInstance } from "./azure";
import { AzureBenchPair } from "./azure-bench-pair";
import { BenchmarkRun } from "./benchmark-run";
import { LocalBenchPair } from "./local-bench-pair";

void componentProviderHost({
  name: "egress-bench",
  // Given here: read from a stack trace, it could be cut short.
  dirname: __dirname,
  components: [
    AwsBenchPair,
    AwsFckNat,
    AwsNatGatewayEgress,
    AwsNatInstance,
    AzureBenchPair,
    AzureNatGatewayEgress,
    AzureNatInstance,
    BenchmarkRun,
    LocalBenchPair,
  ],
});
