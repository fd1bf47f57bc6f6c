/**
 * A change of a live pair updates one machine at a time: the second only when the first carries or stands by again, with a
 * login and without one; the lab proves what the wait asks of the machine. Changes of a live pair that would cut off its clients are refused at preview, and the order in the refusal works.
 * Earlier, `pulumi up` left the Elastic IP at a deleted interface, or requested what EC2 refuses.
 *
 * Not proved: the machines' behaviour meanwhile; the stand-in's take-over moves the same as theirs.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, describe, expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { natProgram } from "../../helpers/aws-standin/nat-program.ts";
import { activeMachines, takeOver } from "../../helpers/aws-standin/take-over.ts";
import { observeChanges, type Step } from "../../helpers/changes/change.ts";
import { observe, stepsOf } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());
let stack: Stack | undefined;
afterEach(() => stack?.destroy());

const eips = `import * as pulumi from "@pulumi/pulumi";
const eips = ["a", "b"].map((name) => new Eip(name, { domain: "vpc", tags: { Name: name } }));
const [a, b] = eips.map((eip) => ({ id: eip.allocationId, address: eip.publicIp }));
const farther = network.publicSubnet("farther", "10.0.5.0/24", "us-east-1b");`;
type Place = Pick<Parameters<typeof natProgram>[0], "subnet" | "tables">;
const beside: Place = { subnet: "beside" };
const program = (options: string, place: Place = {}) => natProgram({ options, ...place }, eips);

async function deploy(options: string, place?: Place): Promise<Stack> {
  stack = await engine.programStack(program(options, place));
  await stack.up();
  return stack;
}

async function refusal(options: string, place?: Place): Promise<string> {
  const changed = await engine.programStack(program(options, place));
  const { failed, failureText } = await observe((onEvent) => changed.preview({ onEvent }));
  expect(failed).toBe(true);
  return failureText;
}

/** Numbers of the machines with the address. */
const placeOf = (address: string) => activeMachines(engine.cloud(), "nat", address).address;

const together = "publicIps: [a], highAvailability: {},";
const apart = "publicIps: [a], highAvailability: { standbySubnetId: other.subnetId },";

it("a pair in one subnet leaves it only through a single machine", { timeout: 300_000 }, async () => {
  await deploy(together);
  expect(await refusal(together, beside)).toMatch(
    /subnetId: moves the pair from \S+ to \S+, where its address does not follow; remove highAvailability, run pulumi up/,
  );
  expect(await refusal(apart)).toMatch(
    /highAvailability\.standbySubnetId: moves the pair from \S+ to two zones/,
  );
  expect(placeOf("a")).toEqual([1]);
  // The order works from the second machine too, which the state does not know.
  const moved = { address: "a", pair: "nat", apart: false, keepsAssociation: false } as const;
  engine.changeCloud((state) => takeOver(state, { ...moved, to: 2 }));
  await deploy("publicIps: [a],");
  const there = await deploy(together, beside);
  expect(placeOf("a")).toEqual([1]);
  await there.preview({ expectNoChanges: true });
});

it("a pair in two zones enters one subnet only through a single machine", { timeout: 300_000 }, async () => {
  await deploy(`${apart} volume: { sizeGib: 20 },`);
  await deploy(`${apart} volume: { sizeGib: 40 },`);
  expect(await refusal(`${apart} volume: { sizeGib: 30 },`)).toMatch(
    /volume\.sizeGib: 30 is less than the disk's 40 GiB.*pulumi up --replace 'urn:/,
  );
  // The second machine may be the active one.
  expect(await refusal(apart.replace("other.", "farther."))).toMatch(
    /highAvailability\.standbySubnetId: moves the pair from \S+ to \S+, where/,
  );
  expect(await refusal(together)).toMatch(
    /highAvailability\.standbySubnetId: moves the pair from two zones to \S+/,
  );
});

describe.each([
  ["one subnet", together, false],
  ["two zones", apart, true],
])("a pair in %s", (_, options, isApart) => {
  it("accepts another public address only while its first machine is active", {
    timeout: 300_000,
  }, async () => {
    await deploy(options);
    const other = options.replace("[a]", "[b]");
    const moved = { address: "a", pair: "nat", apart: isApart, keepsAssociation: false } as const;
    engine.changeCloud((state) => takeOver(state, { ...moved, to: 2 }));
    expect(await refusal(other)).toContain("publicIps: cannot change while the second machine is active");
    expect(placeOf("a")).toEqual([2]);
    engine.changeCloud((state) => takeOver(state, { ...moved, to: 1 }));
    await (await engine.programStack(program(options))).up({ refresh: true });
    const from = engine.cloud().requests.length;
    await deploy(other);
    expect(placeOf("a")).toEqual([]);
    expect(placeOf("b")).toEqual([1]);
    expect(activeMachines(engine.cloud(), "nat", "b")).toEqual({ address: [1], routes: [1] });
    if (isApart) {
      // The standby may still take over the former address while the first machine is replaced.
      const steps = engine
        .cloud()
        .requests.slice(from)
        .map(({ action, name }) => `${action} ${name}`);
      const order = [
        "create nat-pair-policy",
        "delete nat-nat-1",
        "create nat-nat-2",
        "delete nat-pair-policy",
      ];
      expect(steps.filter((step) => order.includes(step))).toEqual(order);
    }
  });

  it("leads a later table to the active machine", { timeout: 300_000 }, async () => {
    await deploy(options, { tables: ["apps"] });
    const moved = { address: "a", pair: "nat", apart: isApart, keepsAssociation: true } as const;
    engine.changeCloud((state) => takeOver(state, { ...moved, to: 2 }));
    // The first table has no target yet.
    expect(await refusal(options.replace("[a]", "[b]"), { tables: ["more", "apps"] })).toContain(
      "publicIps: cannot change while the second machine is active",
    );
    await deploy(options, { tables: ["more"] });
    expect(activeMachines(engine.cloud(), "nat", "a")).toEqual({ address: [2], routes: [2] });
    await deploy(options, { tables: ["more", "apps"] });
    expect(activeMachines(engine.cloud(), "nat", "a")).toEqual({ address: [2], routes: [2] });
  });

  it("leads another table of an output to the active machine, once the state is refreshed", {
    timeout: 300_000,
  }, async () => {
    const tables = (place: 0 | 1) =>
      `${options} privateRouteTableIds: pulumi.all([apps.routeTableId, more.routeTableId]).apply((all) => [all[${place}]]), privateRouteTableCount: 1,`;
    await deploy(tables(0));
    const moved = { address: "a", pair: "nat", apart: isApart, keepsAssociation: true } as const;
    engine.changeCloud((state) => takeOver(state, { ...moved, to: 2 }));
    await (await engine.programStack(program(tables(1)))).up({ refresh: true });
    expect(activeMachines(engine.cloud(), "nat", "a")).toEqual({ address: [2], routes: [2] });
  });
});

const login =
  'const ssh = { key: { publicKey: "ssh-ed25519 key", privateKey: "key" }, allowedCidrs: ["203.0.113.7/32"] };';

it.each([
  ["one subnet", together],
  ["two zones", apart],
])(
  "a single machine's kept address comes to a pair in %s with its set-up, before that machine goes",
  { timeout: 300_000 },
  async (_, options) => {
    await deploy("publicIps: [a],");
    stack = await engine.programStack(program(options));
    const { onEvent, observed } = observeChanges(["nat"]);
    await stack.up({ onEvent });
    const steps = observed().get("nat") ?? [];
    const step = (name: string) => steps.find((one) => one.name === name) as Step;
    const ready = ["nat-1-set-up", "nat-2-set-up"].map((name) => step(name).ended);
    expect(step("nat-1-eni-2").begun).toBeGreaterThan(Math.max(...ready));
    expect(step("nat-machine").op).toBe("delete");
    expect(step("nat-machine").begun).toBeGreaterThan(step("nat-1-eni-2").ended);
    expect(placeOf("a")).toEqual([1]);
    await stack.preview({ expectNoChanges: true });
  },
);

/** An update's steps on machines and waits, in the order of their start. */
async function order(options: string): Promise<string[]> {
  stack = await engine.programStack(natProgram({ options, tables: ["apps"] }, login));
  const steps = await stepsOf((onEvent) => (stack as Stack).up({ onEvent }));
  return steps
    .filter(({ step }) => step === "update" || step === "create-replacement")
    .filter(({ type }) => /^(Instance|Command|Association)$/.test(type))
    .map(({ type, name }) => `${type} ${name}`);
}

it.each([
  ["a login", "ssh,", "Command"],
  ["Systems Manager", "", "Association"],
])(
  "waits by %s for the first machine before it touches the second",
  { timeout: 300_000 },
  async (_, ssh, wait) => {
    const both = (...steps: ((name: string) => string)[]) =>
      ["nat-nat-1", "nat-nat-2"].flatMap((name) => steps.map((step) => step(name)));
    const machine = (name: string) => `Instance ${name}`;
    const ready = (name: string) => `${wait} ${name}-ready`;
    const setUp = (name: string) => `${wait} ${name}-set-up`;
    expect(await order(`${ssh} highAvailability: {},`)).toEqual([]);
    // The machines stay, and boot again.
    const larger = `${ssh} instanceType: "t4g.small",`;
    expect(await order(`${larger} highAvailability: {},`)).toEqual(both(machine, setUp));
    const slower = `${larger} highAvailability: { advertisementMs: 500 },`;
    expect(await order(slower)).toEqual(both(setUp));
    // What a machine keeps for life makes new machines.
    const patient = `${slower} nat: { idleTimeouts: { tcp: 8000 } },`;
    expect(await order(patient)).toEqual(both(machine, ready, setUp));
  },
);
