/**
 * A change of a live pair updates one machine at a time: the second only when the first carries or stands by again, with a
 * login and without one. The lab proves what the wait asks of the machine.
 */
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const program = (options: string) => `import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const ssh = { key: { publicKey: "ssh-ed25519 key", privateKey: "key" }, allowedCidrs: ["203.0.113.7/32"] };
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: outside.subnetId,
  internetReady: network.internetReady,
  privateRouteTableIds: [apps.routeTableId],
  privateCidrs: ["10.0.1.0/24"],
  ${options}
});
`;

/** An update's steps on machines and waits, in the order of their start. */
async function order(options: string): Promise<string[]> {
  const steps: string[] = [];
  const onEvent = ({ resourcePreEvent }: EngineEvent) => {
    const { op = "same", urn = "" } = resourcePreEvent?.metadata ?? {};
    const [, , types = "", name = ""] = urn.split("::");
    const type = types.split(":").at(-1) as string;
    if (["update", "create-replacement"].includes(op) && /^(Instance|Command|Association)$/.test(type)) {
      steps.push(`${type} ${name}`);
    }
  };
  const stack = await engine.programStack(program(options));
  await stack.up({ onEvent });
  return steps;
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
    await (await engine.programStack(program(patient))).destroy();
  },
);
