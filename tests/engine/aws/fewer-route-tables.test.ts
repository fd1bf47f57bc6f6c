/**
 * A route table goes from the middle of `privateRouteTableIds`, whose routes are numbered by their place in it, without a gap for the
 * clients of the others: in the order that docs/aws.md names.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";

let engine: AwsEngine;
beforeAll(() => {
  engine = createAwsEngine();
});
afterAll(() => engine.dispose());

const program = (tables: string) => `import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const a = network.privateSubnet("a", "10.0.1.0/24");
const b = network.privateSubnet("b", "10.0.2.0/24");
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: outside.subnetId,
  internetReady: network.internetReady,
  privateRouteTableIds: [${tables}],
  privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"],
});
`;

it("takes the first of two route tables away", { timeout: 300_000 }, async () => {
  const stack = await engine.programStack(program("a.routeTableId, b.routeTableId"));
  await stack.up();
  const all = (await engine.resources(stack)) as { urn: string }[];
  const [first, second] = [1, 2].map(
    (number) => all.find(({ urn }) => urn.endsWith(`::nat-default-${number}`))?.urn as string,
  ) as [string, string];
  const before = engine.cloud().requests.length;

  await stack.destroy({ target: [first] });
  const { envVars, workDir } = stack.workspace;
  const rename = ["state", "rename", second, "nat-default-1", "--yes", "--stack", stack.name];
  const env = { ...process.env, ...envVars };
  await promisify(execFile)(stack.workspace.pulumiCommand.command, rename, { cwd: workDir, env });
  const fewer = await engine.programStack(program("b.routeTableId"));
  await fewer.up();

  const { requests } = engine.cloud();
  expect(requests.slice(before).map(({ action, name }) => `${action} ${name}`)).toEqual([
    "delete nat-default-1",
  ]);
  await fewer.preview({ expectNoChanges: true });
  await fewer.destroy();
});
