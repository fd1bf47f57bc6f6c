/**
 * An address moves between a NAT gateway and a NAT instance, and between two instances, as docs/azure.md describes, in a
 * cloud that gives an address to one resource at a time. Not proved: how long Azure takes.
 */
import type { Deployment, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { ComponentProgram } from "../../helpers/azure-native-standin/component-program.ts";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import type { ArmResource } from "../../helpers/azure-native-standin/fake-arm.ts";
import { observe } from "../../helpers/engine-events.ts";

const gateway = (args: Record<string, unknown>) => ({ component: "NatGatewayEgress", args }) as const;
const instance = (args: Record<string, unknown>) => ({ component: "NatInstance", args }) as const;
const kept = { publicIps: ["@kept"] };
const program = (
  components: ComponentProgram["components"],
  attached: "gateway" | "nat" | "next",
): ComponentProgram => ({ kept: ["kept"], components, attached });

let engine: AzureEngine;
let stack: Stack;
beforeAll(async () => {
  engine = createAzureEngine();
  stack = await engine.componentStack("kept", program({ gateway: gateway(kept) }, "gateway"));
});
beforeEach(() => stack.destroy());
afterAll(async () => {
  await stack.destroy();
  engine.dispose();
});

/** Runs the updates in turn. @returns the requests of each */
async function updates(...steps: readonly ComponentProgram[]): Promise<string[][]> {
  const requests: string[][] = [];
  for (const step of steps) {
    engine.program(step);
    const served = engine.cloud().requests.length;
    await stack.up({ showSecrets: false });
    const made = engine.cloud().requests.slice(served);
    requests.push(made.map(({ method, id }) => `${method} ${id.split("/").at(-2)}`));
  }
  return requests;
}

/** The deployment without resources whose names match, and without references to them. */
function without({ version, deployment }: Deployment, names: RegExp): Deployment {
  const urnOf = (one: unknown) => (typeof one === "string" ? one : (one as { urn?: string } | null)?.urn);
  const isKept = (one: unknown) => !names.test(urnOf(one) ?? "");
  const kept = (_: string, value: unknown) => (Array.isArray(value) ? value.filter(isKept) : value);
  return { version, deployment: JSON.parse(JSON.stringify(deployment), kept) };
}

/** Reason why a preview of the program fails. */
async function refusal(next: ComponentProgram): Promise<string> {
  engine.program(next);
  return (await observe((onEvent) => stack.preview({ onEvent }))).failureText;
}

/** The one resource with the kept address. */
function holders(): string[] {
  const resources = Object.values(engine.cloud().resources);
  const address = resources.find(({ id }) => /publicIPAddresses\/kept[0-9a-f]{8}$/.test(id))?.id as string;
  return resources.flatMap(({ id, type, body }) =>
    id !== address && JSON.stringify(body).includes(`"${address}"`) ? [type.split(":").at(-1) as string] : [],
  );
}

it("from the gateway to the instance, which is only updated when it gets the address", async () => {
  const [, , switched, last] = await updates(
    program({ gateway: gateway(kept) }, "gateway"),
    program({ gateway: gateway(kept), nat: instance({}) }, "gateway"),
    program({ nat: instance({}) }, "nat"),
    program({ nat: instance(kept) }, "nat"),
  );
  expect(switched).toEqual(["PUT subnets", "DELETE natGateways"]);
  expect(last).toEqual(["PUT networkInterfaces", "DELETE publicIPAddresses"]);
  expect(holders()).toEqual(["NetworkInterface"]);
});

it("from the instance to the gateway, which is only updated when it gets the address", async () => {
  const [, , switched, last] = await updates(
    program({ nat: instance(kept) }, "nat"),
    program({ nat: instance(kept), gateway: gateway({}) }, "nat"),
    program({ gateway: gateway({}) }, "gateway"),
    program({ gateway: gateway(kept) }, "gateway"),
  );
  expect(switched?.[0]).toBe("PUT subnets");
  expect(last).toEqual(["PUT natGateways", "DELETE publicIPAddresses"]);
  expect(holders()).toEqual(["NatGateway"]);
});

it("from a gateway made elsewhere, through an import that changes nothing of it", {
  timeout: 300_000,
}, async () => {
  await updates(program({ gateway: gateway(kept) }, "gateway"));
  const resources = Object.values(engine.cloud().resources);
  const existing = (kind: string, name: RegExp) => {
    const { id, inputs } = resources.find(
      (one) => one.type.endsWith(kind) && name.test(one.id),
    ) as ArmResource;
    return { id, inputs };
  };
  const joined = { kept: existing(":PublicIPAddress", /kept/), theirs: existing(":NatGateway", /./) };
  await stack.importStack(without(await stack.exportStack(), /::(kept|gateway(-.*)?)$/));
  const next = (attached: string, args?: Record<string, unknown>): ComponentProgram => ({
    joined,
    attached,
    components: args === undefined ? {} : { nat: instance(args) },
  });
  const missing = { ...joined.theirs, id: `${joined.theirs.id}-2` };
  await expect(updates({ ...next("theirs"), joined: { ...joined, theirs: missing } })).rejects.toThrow(
    /natGateways\/\S+-2.* does not exist/,
  );
  const steps = await updates(next("theirs", {}), next("nat", {}), next("nat", kept));
  expect(steps[0]).toContain("PUT virtualMachines");
  expect(steps[0]).not.toContain("PUT natGateways");
  expect(steps[0]?.filter((one) => one.startsWith("DELETE"))).toEqual([]);
  expect(steps[1]).toEqual(["PUT subnets", "DELETE natGateways"]);
  expect(steps[2]).toEqual(["PUT networkInterfaces", "DELETE publicIPAddresses"]);
  expect(holders()).toEqual(["NetworkInterface"]);
});

it("from one instance to another with its address, and without an outage for clients", async () => {
  const [, beside, switched, last] = await updates(
    program({ nat: instance(kept) }, "nat"),
    program({ nat: instance(kept), next: instance({ size: "Standard_D2ls_v5" }) }, "nat"),
    program({ next: instance({ size: "Standard_D2ls_v5" }) }, "next"),
    program({ next: instance({ ...kept, size: "Standard_D2ls_v5" }) }, "next"),
  );
  expect(beside?.filter((one) => one.startsWith("DELETE"))).toEqual([]);
  // The clients' subnet first, then the former machine, its interface and the rest.
  expect(switched?.[0]).toBe("PUT subnets");
  expect(switched).toContain("DELETE virtualMachines");
  expect(last).toEqual(["PUT networkInterfaces", "DELETE publicIPAddresses"]);
  expect(holders()).toEqual(["NetworkInterface"]);
});

it("not in one update: the former machine's interface still holds the address", async () => {
  await updates(program({ nat: instance(kept) }, "nat"));
  await expect(updates(program({ nat: instance(kept), next: instance(kept) }, "nat"))).rejects.toThrow(
    /kept\w* is in use by .*networkInterfaces/,
  );
  await updates(program({ nat: instance(kept) }, "nat"));
});

it("not in one update: the gateway still holds the address", async () => {
  await updates(program({ gateway: gateway(kept) }, "gateway"));
  await expect(updates(program({ nat: instance(kept) }, "nat"))).rejects.toThrow(
    /kept\w* is in use by .*natGateways/,
  );
  await updates(program({ gateway: gateway(kept) }, "gateway"));
});

it("between a pair's machines through a third address, since the first machine changes first", async () => {
  const of = (publicIps: string[], more = {}) => ({
    ...program({ nat: instance({ ...more, publicIps: publicIps.map((one) => `@${one}`) }) }, "nat"),
    kept: ["kept", "b", "c"],
  });
  const privates: Record<string, string> = { kept: "10.0.100.20", b: "10.0.100.21", c: "10.0.100.22" };
  const pair = (publicIps: string[], privateAddresses = publicIps.map((one) => privates[one])) =>
    of(publicIps, { highAvailability: { privateAddresses } });
  await updates(pair(["kept", "b"]));
  const [kept, b] = [privates.kept, privates.b];
  expect(await refusal(pair(["b", "kept"], [kept, b]))).toMatch(
    /publicIps: \S+\/b\w+ belongs to \S+\/nat-nat-2-nic\w+; take it away there/,
  );
  expect(await refusal(pair(["kept", "b"], [b, kept]))).toMatch(
    /highAvailability\.privateAddresses: 10\.0\.100\.21 belongs to the second machine;/,
  );
  await updates(pair(["kept", "c"]), pair(["b", "c"]), pair(["b", "kept"]));
  expect(holders()).toEqual(["NetworkInterface"]);
  expect(await refusal(of(["kept"]))).toMatch(/publicIps: \S+\/kept\w+ belongs to \S+\/nat-nat-2-nic/);
  await updates(of(["b"]), of(["kept"]));
  expect(holders()).toEqual(["NetworkInterface"]);
});
