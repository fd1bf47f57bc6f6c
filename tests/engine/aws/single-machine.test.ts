/**
 * A change of a single NAT machine on a live stack: rules are loaded on the running machine; for anything else another
 * machine is set up first, then address and routes move to it, and then the former one is deleted. With a login, with
 * Systems Manager, and with neither. That sessions outlive another set-up: tests/lab/nat-instance/setup-script.test.ts.
 *
 * Not proved: how long a machine takes to boot, and that EC2 moves an Elastic IP in one step.
 */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { stepsOf } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";
import { unpacked } from "../../helpers/unpacked.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const program = (options: string) => `import { Eip } from "@pulumi/aws/ec2/eip.js";
import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const kept = new Eip("kept", { domain: "vpc" });
const publicIps = [{ id: kept.id, address: kept.publicIp }];
const more = new Eip("more", { domain: "vpc" });
const another = { id: more.id, address: more.publicIp };
const ssh = { key: { publicKey: "ssh-ed25519 key", privateKey: "key" }, allowedCidrs: ["203.0.113.7/32"] };
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: outside.subnetId,
  internetReady: [...network.internetReady, outside.associated],
  privateRouteTableIds: [apps.routeTableId],
  ${options}
});
`;

/** An update's steps on the machine and its routes, in the order of their start. */
async function steps(options: string): Promise<string[]> {
  const stack = await engine.programStack(program(options));
  const seen = await stepsOf((onEvent) => stack.up({ onEvent }));
  await stack.preview({ expectNoChanges: true });
  const watched = /^(Instance|Group|NetworkInterface|Command|Association|EipAssociation|Route)$/;
  return seen
    .filter(({ type, name }) => watched.test(type) && name.startsWith("nat-"))
    .filter(({ step }) => step !== "replace")
    .map(({ step, name }) => `${step.replace(/-repl.*/, "")} ${name}`);
}

const narrow = 'privateCidrs: ["10.0.1.0/24"],';
const wide =
  'privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"], nat: { inbound: [{ protocol: "tcp", port: 9100, cidrs: ["10.0.9.0/24"] }] },';
const image = 'extraScript: "#!/bin/sh\\ntrue\\n",';
const replaced = ["create nat-nat-machine", "create nat-nat-ready"];
const moved = ["create nat-nat-eni-1", "create nat-nat-set-up", "update nat-default-net-apps"];

it.each([
  ["a login", "ssh,"],
  ["Systems Manager", 'iamInstanceProfile: "managed",'],
])(
  "loads rules on the machine, and makes another one first for the rest, by %s",
  { timeout: 300_000 },
  async (_, way) => {
    await steps(`${way} ${narrow}`);
    const rules = await steps(`${way} ${wide}`);
    expect([...new Set(rules.map((step) => step.split(" ")[1]))]).toEqual(["nat-nat-set-up"]);
    const other = await steps(`${way} ${wide} ${image}`);
    const made = other.filter((step) => !step.startsWith("delete"));
    // The last two side by side: the former machine has no address any more.
    expect([...made.slice(0, -2), ...made.slice(-2).sort()]).toEqual([...replaced, ...moved]);
    expect(other.indexOf("delete nat-nat-machine")).toBeGreaterThan(
      other.indexOf("update nat-default-net-apps"),
    );
    // A refresh finds the Elastic IP where the machine had its boot address.
    const stack = await engine.programStack(program(`${way} ${wide} ${image}`));
    const route = (await engine.resources(stack)).find(({ urn }) => urn.endsWith("::nat-default-net-apps"));
    expect(JSON.stringify(route)).toContain("::nat-nat-eni-1");
    expect(JSON.stringify(route)).not.toContain("::nat-nat-set-up");
    await stack.refresh();
    await stack.preview({ expectNoChanges: true });
    // It boots with the present rules.
    expect(await steps(`${way} ${narrow} ${image}`)).not.toContain("create nat-nat-machine");
    expect(await steps(`${way} ${narrow}`)).toContain("create nat-nat-machine");
    const cloud = Object.values(engine.cloud().resources);
    const machine = cloud.find(({ kind, inputs }) => kind === "Instance" && "userDataBase64" in inputs);
    const userData = unpacked(Buffer.from(String(machine?.inputs.userDataBase64), "base64"));
    expect(userData).toContain("private_addresses=");
    expect(userData).not.toContain("10.0.2.0/24");
    await stack.destroy();
  },
);

it("a machine without a login is replaced at each change, and the new one exists first", {
  timeout: 300_000,
}, async () => {
  await steps(narrow);
  const changed = await steps(wide);
  expect(changed.slice(0, 3)).toEqual([
    "create nat-nat-machine",
    "create nat-nat-eni-1",
    "update nat-default-net-apps",
  ]);
  expect(changed.indexOf("delete nat-nat-machine")).toBeGreaterThan(2);
  await (await engine.programStack(program(wide))).destroy();
});

it("an existing address moves as soon as the new machine runs, which makes none of its own", {
  timeout: 300_000,
}, async () => {
  await steps(`publicIps, ssh, ${narrow}`);
  const machine = Object.values(engine.cloud().resources).find(({ kind }) => kind === "Instance");
  expect(machine?.inputs.associatePublicIpAddress).toBeUndefined();
  const changed = await steps(`publicIps, ssh, ${narrow} ${image}`);
  expect(changed.slice(0, 3)).toEqual([
    "create nat-nat-machine",
    "create nat-nat-eni-1",
    "create nat-nat-ready",
  ]);
  expect(changed.indexOf("delete nat-nat-machine")).toBeGreaterThan(
    changed.indexOf("update nat-default-net-apps"),
  );
  await (await engine.programStack(program(`publicIps, ssh, ${narrow}`))).destroy();
});

it.each([
  ["several that exist", "publicIps: [...publicIps, another],", "renewed-eni", "Instance nat-nat-renewed"],
  ["a group of spot instances", "autoHeal: true, spot: {},", "healing-eni", "Group nat-nat"],
])(
  "%s move to another machine on an interface of its own, and the former one goes last",
  { timeout: 300_000 },
  async (_, form, interfaceName, machine) => {
    await steps(`${form} ssh, ${narrow}`);
    const changed = await steps(`${form} ssh, ${narrow} ${image}`);
    const at = (step: string) => {
      expect(changed).toContain(step);
      return changed.indexOf(step);
    };
    const own = `nat-nat-${interfaceName}`;
    const [, name] = machine.split(" ");
    const order = [`create ${own}`, `create ${name}`, `create ${own}-1`, "create nat-nat-ready"].map(at);
    order.push(at("update nat-default-net-apps"), at(`delete ${name}`), at(`delete ${own}`));
    expect(order).toEqual([...order].sort((one, other) => one - other));
    // Everything that leads to it has the present interface.
    const all = Object.values(engine.cloud().resources);
    const interfaces = all.filter(({ kind }) => kind === "NetworkInterface").map(({ id }) => id);
    const led = all.filter(({ kind }) => kind === "EipAssociation" || kind === "Route");
    const targets = led.flatMap(({ inputs }) => inputs.networkInterfaceId ?? []);
    expect([...new Set(targets)]).toEqual(interfaces);
    await (await engine.programStack(program(`${form} ssh, ${narrow}`))).destroy();
  },
);

it("a group without its on-demand fallback has a machine before the fallback's, which holds its interface, is ended", {
  timeout: 300_000,
}, async () => {
  await steps(`autoHeal: true, spot: { onDemandFallback: {} }, ssh, ${narrow}`);
  engine.changeCloud(({ resources }) => {
    for (const { id, kind, inputs } of Object.values(resources)) {
      if (kind === "Group") inputs.desiredCapacity = /on-demand/.test(id) ? 1 : 0;
    }
  });
  const changed = await steps(`autoHeal: true, ssh, ${narrow}`);
  const order = ["create nat-nat", "create nat-nat-ready", "update nat-default-net-apps"];
  order.push("delete nat-nat-spot-on-demand", "delete nat-nat-spot-healing-eni");
  expect(changed.filter((step) => order.includes(step))).toEqual(order);
  await (await engine.programStack(program(`autoHeal: true, ssh, ${narrow}`))).destroy();
});

it("more addresses keep the others in place, and fewer move only those whose private address EC2 removes", {
  timeout: 300_000,
}, async () => {
  const places = () =>
    Object.fromEntries(
      Object.values(engine.cloud().resources)
        .filter(({ kind }) => kind === "EipAssociation")
        .map(({ inputs }) => [inputs.allocationId, inputs.privateIpAddress]),
    );
  const size = 'instanceType: "t4g.small",';
  await steps(`publicIpCount: 2, ssh, ${narrow} ${size}`);
  const two = places();
  // The third sorts before the second.
  expect(await steps(`publicIpCount: 3, ssh, ${narrow} ${size}`)).not.toContainEqual(
    expect.stringMatching(/^(create|delete) .*-eni-[12]$/),
  );
  const three = places();
  expect(three).toMatchObject(two);
  expect(new Set(Object.values(three)).size).toBe(3);
  await steps(`publicIpCount: 2, ssh, ${narrow} ${size}`);
  const left = places();
  const [eni] = Object.values(engine.cloud().resources).filter(({ kind }) => kind === "NetworkInterface");
  expect(Object.values(left).sort()).toEqual((eni!.outputs.privateIps as string[]).toSorted());
  expect(Object.keys(left).sort()).toEqual(Object.keys(two).sort());
  await (await engine.programStack(program(`publicIpCount: 2, ssh, ${narrow} ${size}`))).destroy();
});
