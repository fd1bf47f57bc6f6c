/** `NatInstance.forVpc` of a VPC that exists: its routes on every private table, also when they lead to the machine already. */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const network = `import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
network.publicSubnet("public", "10.0.0.0/24");
network.privateSubnet("apps", "10.0.1.0/24");
network.privateSubnet("more", "10.0.2.0/24");
`;

it("finds subnets, tables and blocks, and finds the same once its routes exist", {
  timeout: 300_000,
}, async () => {
  await (await engine.programStack(network)).up();
  const { resources } = engine.cloud();
  const idOf = (kind: string, cidrBlock: string) =>
    Object.values(resources).find((one) => one.kind === kind && one.inputs.cidrBlock === cidrBlock)?.id;
  const vpc = idOf("Vpc", "10.0.0.0/16");
  const stack = await engine.programStack(
    `${network}await NatInstance.forVpc("nat", "${vpc}", { autoHeal: true });`,
  );
  await stack.up();
  await stack.preview({ expectNoChanges: true });
  const made = Object.values(engine.cloud().resources);
  const routes = made.filter(({ kind, inputs }) => kind === "Route" && inputs.networkInterfaceId);
  expect(routes).toHaveLength(2);
  const interfaces = made.filter(({ kind }) => kind === "NetworkInterface");
  expect(interfaces.map(({ inputs }) => inputs.subnetId)).toEqual([idOf("Subnet", "10.0.0.0/24")]);
  await stack.destroy();
});
