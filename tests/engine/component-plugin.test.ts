/**
 * The component plugin under the real engine: its schema, and components that a program requests by type, like the SDK of
 * any language. The clouds' providers are stand-ins. Its SDKs and YAML programs: tests/languages. Tried by hand only:
 * `pulumi package add` (its README says when), as the language host that is built here cannot start a plugin by PulumiPlugin.yaml.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import {
  type ComponentPlugin,
  installPlugin,
  startComponentPlugin,
  VERSION,
} from "../helpers/component-plugin.ts";
import { makeConsumer, packLibrary, startStandIns } from "../helpers/consumers.ts";
import { createEngine, type Engine, savingAtEnd } from "../helpers/pulumi.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-plugin-`);
let engine: Engine;
let standIns: AttachedProcess;
let plugin: ComponentPlugin;

beforeAll(async () => {
  await packLibrary(directory);
  standIns = await startStandIns(directory);
  plugin = await startComponentPlugin(directory);
  const { PULUMI_DEBUG_PROVIDERS } = standIns.providers;
  engine = createEngine({
    ...savingAtEnd,
    PULUMI_DEBUG_PROVIDERS: `${PULUMI_DEBUG_PROVIDERS},egress-bench:${plugin.port}`,
  });
  installPlugin(engine, plugin);
});
afterAll(() => {
  plugin?.stop();
  standIns?.stop();
  engine?.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** A program that requests a component by type and exports some of its outputs. */
async function programOf(name: string, type: string, args: object): Promise<Stack> {
  const own = makeConsumer(directory, {
    name,
    options: { typescript: false },
    files: {
      "package.json": '{ "main": "index.js" }',
      "index.js": `const pulumi = require("@pulumi/pulumi");
const options = { version: "${VERSION}" };
const pair = { publicKey: undefined, privateKey: undefined };
const key = new pulumi.ComponentResource("egress-bench:index:SshKeyPair", "key", pair, options, true);
const ssh = { key: { publicKey: key.publicKey, privateKey: key.privateKey }, allowedCidrs: ["203.0.113.7/32"] };
const given = ${JSON.stringify(args)};
// As a host sends it where it knows none of an object's values before: one output of the whole.
const inputs = { ssh: pulumi.output(ssh), publicIps: undefined, ...given };
const { publicIps } = new pulumi.ComponentResource("egress-bench:${type}", "it", inputs, options, true);
module.exports = { publicIps, privateKey: key.privateKey };
`,
    },
  });
  return engine.projectStack(name, own);
}

it("has a schema that the engine accepts, with the library's options nested as there", async () => {
  const { stdout } = await promisify(execFile)("pulumi", ["package", "get-schema", "egress-bench"], {
    env: { ...process.env, ...engine.environment },
    maxBuffer: 1e7,
  });
  const { version, resources, types } = JSON.parse(stdout);
  expect(version).toBe(VERSION);
  const { inputProperties, requiredInputs } = resources["egress-bench:aws:NatInstance"];
  expect(requiredInputs).toEqual(["vpcId", "subnetId", "privateCidrs"]);
  expect(inputProperties.nat.$ref).toBe("#/types/egress-bench:aws:Nat");
  expect(types["egress-bench:aws:Nat"].properties.idleTimeouts.$ref).toBe(
    "#/types/egress-bench:aws:IdleTimeouts",
  );
  expect(types["egress-bench:aws:IdleTimeouts"].properties.tcp).toEqual({
    type: "integer",
    plain: true,
    description: "Seconds of silence of an open TCP connection. Default: 7440.",
  });
});

describe("components of the plugin", () => {
  it("are constructed through the engine, with their resources", async () => {
    const bench = { zone: "us-east-1a", instanceType: "c7g.8xlarge", egress: "fck-nat" };
    const stack = await programOf("constructed", "index:AwsBenchPair", bench);
    expect((await stack.up()).outputs).toEqual({
      publicIps: { secret: false, value: [expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/)] },
      privateKey: { secret: true, value: expect.stringContaining("OPENSSH PRIVATE KEY") },
    });
    const { latest } = JSON.parse(engine.storedState("constructed", "constructed")).checkpoint;
    const types = (latest.resources as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining([
        "egress-bench:index:AwsBenchPair",
        "egress-bench:aws:FckNat",
        "egress-bench:aws:BenchPair",
        "aws:ec2/instance:Instance",
      ]),
    );
  });

  it("pass on a NAT instance's options beyond its place", async () => {
    const stack = await programOf("chosen", "aws:NatInstance", {
      vpcId: "vpc-12345678",
      subnetId: "subnet-12345678",
      privateRouteTableIds: ["rtb-23456789"],
      privateCidrs: ["10.0.1.0/24"],
      autoHeal: true,
      spot: { instanceTypes: ["t4g.small"], onDemandFallback: { retryHourUtc: 3 } },
      creditMode: "standard",
      volume: { sizeGib: 20 },
      nat: { dataPlane: "nftables", portRange: { first: 2000, last: 3000 } },
    });
    const planned: { readonly type: string; readonly inputs: Record<string, unknown> }[] = [];
    await stack.preview({
      onEvent: ({ resourcePreEvent }) => {
        const { type = "", new: state } = resourcePreEvent?.metadata ?? {};
        planned.push({ type, inputs: state?.inputs ?? {} });
      },
    });
    const of = (type: string) =>
      planned.filter((one) => one.type.endsWith(`:${type}`)).map((one) => one.inputs);
    expect(of("LaunchTemplate")).toMatchObject([
      {
        creditSpecification: { cpuCredits: "standard" },
        blockDeviceMappings: [{ ebs: { volumeSize: 20 } }],
      },
    ]);
    const overrides = [{ instanceType: "t4g.micro" }, { instanceType: "t4g.small" }];
    expect(of("Group")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          mixedInstancesPolicy: expect.objectContaining({
            launchTemplate: expect.objectContaining({ overrides }),
          }),
        }),
      ]),
    );
    expect(
      of("Schedule")
        .map(({ recurrence }) => recurrence)
        .toSorted(),
    ).toEqual(["0 3 * * *", "2 3 * * *"]);
  });

  it("refuse wrong arguments by name at preview", async () => {
    const stack = await programOf("refused", "azure:NatInstance", {
      ...{
        resourceGroupName: "rg",
        location: "japaneast",
        subnetId: "subnet",
        privateCidrs: ["10.0.1.0/24"],
      },
      nat: { inbound: [{ protocol: "tcp", port: 70_000, cidrs: ["203.0.113.0/24"] }] },
    });
    await expect(stack.preview()).rejects.toThrow(/nat\.inbound\[0\]\.port/);
  });
});
