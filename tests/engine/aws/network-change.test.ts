/**
 * A network changes under its NAT instance, in a cloud that detaches no internet gateway from public addresses, and no
 * interface from a machine.
 *
 * Not proved: how long it takes AWS.
 */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

interface Place {
  readonly cidr?: string;
  readonly zone?: string;
  /** Blocks of the public subnets and of the clients'. */
  readonly blocks?: readonly [string, string, string];
  /** Public subnet of the machine. */
  readonly role?: "public" | "other";
}

const far = { cidr: "10.1.0.0/16", blocks: ["10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24"] } as const;
const beside = ["10.0.4.0/24", "10.0.5.0/24", "10.0.6.0/24"] as const;

/** A NAT instance and its clients' subnet. @param more Further arguments. */
function program(more: string, { cidr = "10.0.0.0/16", zone = "us-east-1a", ...place }: Place = {}): string {
  const { blocks = ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"], role = "public" } = place;
  return `
import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "${cidr}", zone: "${zone}" });
const subnets = { public: network.publicSubnet("public", "${blocks[0]}"), other: network.publicSubnet("other", "${blocks[1]}") };
const apps = network.privateSubnet("apps", "${blocks[2]}");
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: subnets.${role}.subnetId,
  internetReady: network.internetReady,
  privateRouteTableIds: [apps.routeTableId],
  privateCidrs: ["${blocks[2]}"],
  ${more}
});
`;
}

/** The second program's changes of gateways, groups and interfaces, in order. */
async function change(...[from, to]: readonly [string, string]): Promise<string[]> {
  const stack = await engine.programStack(from);
  await stack.up();
  const served = engine.cloud().requests.length;
  await engine.programStack(to);
  await stack.up();
  const made = engine.cloud().requests.slice(served);
  await stack.preview({ expectNoChanges: true });
  await stack.destroy();
  return made
    .filter(({ kind }) => ["InternetGateway", "Group", "NetworkInterface", "Instance"].includes(kind))
    .map(({ action, kind }) => `${action} ${kind}`);
}

it("a network's machine boots once its subnet has its way out", { timeout: 300_000 }, async () => {
  const stack = await engine.programStack(program(""));
  await stack.up();
  const machine = (await engine.resources(stack)).find(({ type }) => type.endsWith(":Instance"));
  expect(machine?.dependencies).toContainEqual(expect.stringMatching(/:RouteTableAssociation::net-public$/));
  await stack.destroy();
});

it("a group with a NAT gateway as fallback moves with its interface to another subnet", {
  timeout: 300_000,
}, async () => {
  const more = "autoHeal: true, natGatewayFallback: true,";
  expect(await change(program(more), program(more, { role: "other" }))).toEqual([
    "create NetworkInterface",
    "delete Group",
    "create Group",
    "delete NetworkInterface",
  ]);
});

it.each([
  [
    "a group",
    "autoHeal: true,",
    /autoHeal: the group's machine holds an interface in subnet-\w+, which must be replaced; remove autoHeal/,
  ],
  [
    "a pair",
    "highAvailability: {},",
    /subnetId: moves the pair from subnet-\w+ to a new subnet, .* remove highAvailability/,
  ],
])(
  "%s is refused at preview where its subnet would be deleted first",
  { timeout: 300_000 },
  async (_, more, refusal) => {
    const stack = await engine.programStack(program(more));
    await stack.preview();
    await stack.up();
    await engine.programStack(program(more, { zone: "us-east-1b" }));
    await expect(stack.preview()).rejects.toThrow(refusal);
    for (const place of [far, { blocks: beside }]) {
      await engine.programStack(program(more, place));
      await expect(stack.preview()).rejects.toThrow(refusal);
    }
    await engine.programStack(program(more));
    await stack.preview({ expectNoChanges: true });
    // The order that the refusal and docs/reference/changes.md describe.
    for (const [options, place] of [
      ["", {}],
      ["", far],
      [more, far],
    ] as const) {
      await engine.programStack(program(options, place));
      await stack.up();
    }
    await stack.preview({ expectNoChanges: true });
    await stack.destroy();
  },
);
