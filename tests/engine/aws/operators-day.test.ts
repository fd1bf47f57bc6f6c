/**
 * A NAT instance under an organisation's rules, by the document alone: roles in a path and within a boundary, tags, a key
 * for disks, no login, packages from your own mirror. Then other clients come, and the machine keeps running.
 *
 * Not proved: that the organisation's policies and its mirror accept it.
 */
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { resourceDeclaration } from "../../helpers/aws-standin/sdk-types.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const rules = {
  roles: { path: "/network/", permissionsBoundary: "arn:aws:iam::123456789012:policy/boundary" },
  tags: { team: "network" },
  volume: { kmsKeyId: "arn:aws:kms:us-east-1:123456789012:key/one" },
  nat: { packageMirror: "http://mirror.example.com/ubuntu", packageProxy: "http://10.0.0.9:3128" },
};

const program = (form: object, privateCidrs: readonly string[]) => `
import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a", tags: { team: "network" } });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: outside.subnetId,
  internetReady: network.internetReady,
  privateRouteTableIds: [apps.routeTableId],
  privateCidrs: ${JSON.stringify(privateCidrs)},
  ...${JSON.stringify({ ...rules, ...form })},
});
`;

interface Rule {
  readonly protocol: string;
  readonly fromPort: number;
  readonly toPort: number;
  readonly cidrBlocks: readonly string[];
}

/** User data as the machine gets it. */
function userDataOf({ userData, userDataBase64 }: Readonly<Record<string, unknown>>): string {
  return typeof userDataBase64 !== "string"
    ? String(userData)
    : gunzipSync(Buffer.from(userDataBase64, "base64")).toString();
}

it.each([
  ["one machine", { iamInstanceProfile: "managed" }],
  ["a pair", { highAvailability: {} }],
])("%s keeps an organisation's rules, and other clients come", { timeout: 300_000 }, async (_, form) => {
  const stack = await engine.programStack(program(form, ["10.0.1.0/24"]));
  await stack.up();
  const made = (await engine.resources(stack)).filter(({ type }) => /^aws:(?!ssm\/get)/.test(type));
  const ofType = (name: string) => made.filter(({ type }) => type.endsWith(`:${name}`));
  const untagged = made
    .filter(({ type }) => resourceDeclaration(type).arguments.has("tags"))
    .filter(({ inputs }) => !JSON.stringify(inputs?.tags ?? {}).includes('"team":"network"'));
  expect(untagged.map(({ urn }) => urn)).toEqual([]);
  expect(ofType("Role")).toHaveLength("highAvailability" in form ? 1 : 0);
  for (const { inputs } of ofType("Role")) {
    expect(inputs).toMatchObject(rules.roles);
  }
  const machines = () => Object.values(engine.cloud().resources).filter(({ kind }) => kind === "Instance");
  const before = machines();
  expect(before).toHaveLength("highAvailability" in form ? 2 : 1);
  for (const { inputs } of before) {
    expect(inputs).toMatchObject({ rootBlockDevice: rules.volume });
    const userData = userDataOf(inputs);
    expect(userData).toContain(rules.nat.packageMirror);
    expect(userData).toContain(rules.nat.packageProxy);
  }
  // SSH rules admit only what clients send through the machine.
  const admitted = ofType("SecurityGroup").flatMap(({ inputs }) => inputs?.ingress as Rule[]);
  const logins = admitted.filter(
    ({ protocol, fromPort, toPort }) => protocol === "tcp" && fromPort <= 22 && toPort >= 22,
  );
  expect([...new Set(logins.flatMap(({ cidrBlocks }) => cidrBlocks))]).toEqual(["10.0.1.0/24"]);

  await (await engine.programStack(program(form, ["10.0.1.0/24", "10.0.2.0/24"]))).up();
  await stack.preview({ expectNoChanges: true });
  const stayed = machines().filter(({ id }) => before.some((one) => one.id === id));
  expect(stayed).toHaveLength(before.length);
  await stack.destroy();
  expect(engine.cloud().resources).toEqual({});
});
