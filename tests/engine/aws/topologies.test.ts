/**
 * Every AWS topology through the real engine, all in one stack: up, a second preview without changes, changes that replace
 * only what they should, destroy.
 *
 * The stand-in refuses inputs that the SDK's own types do not declare, references to missing resources, public addresses
 * before an internet gateway, machines without a way out, second uses of what can be used once, and deletions of what is in
 * use. Not proved: that AWS accepts the values, how long it takes, and that the real provider behaves like the stand-in.
 */
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { criticalPath } from "../../helpers/azure-native-standin/critical-path.ts";
import { changedBy } from "../../helpers/engine-events.ts";

type Entry = Record<string, unknown> & { readonly topology: string; readonly name: string };

/** The topology, its options, and the resources that the client depends on. */
const topologies: readonly (readonly [entry: Entry, egress: readonly string[]])[] = [
  [{ topology: "direct", name: "direct" }, ["direct-eip", "client-network-public-default"]],
  [
    { topology: "nat-gateway", name: "gateway" },
    ["gateway-nat-gateway", "gateway-default-client-network-gateway-client"],
  ],
  [
    { topology: "nat-gateway", name: "gateway-8", publicIpCount: 8 },
    ["gateway-8-nat-gateway", "gateway-8-eip-8"],
  ],
  [
    { topology: "nat-gateway", name: "regional", availabilityMode: "regional" },
    ["regional-regional-nat-gateway", "regional-default-client-network-regional-client"],
  ],
  [
    { topology: "nat-instance", name: "instance" },
    ["instance-nat-machine", "instance-nat-eni-1", "instance-default-client-network-instance-client"],
  ],
  [
    { topology: "nat-instance", name: "instance-2", publicIpCount: 2 },
    ["instance-2-nat-renewed", "instance-2-nat-renewed-eni", "instance-2-eip-2"],
  ],
  [
    { topology: "nat-instance", name: "healing", autoHeal: true },
    ["healing-nat", "healing-nat-healing-eni", "healing-default-client-network-healing-client"],
  ],
  [
    { topology: "fck-nat", name: "fck" },
    ["fck-nat-machine", "fck-nat-eni-1", "fck-default-client-network-fck-client"],
  ],
  [
    { topology: "fck-nat", name: "spot", autoHeal: true, spot: { onDemandFallback: {} } },
    ["spot-nat-spot", "spot-nat-spot-healing-eni", "spot-default-client-network-spot-client"],
  ],
  [{ topology: "intra-vpc", name: "intra" }, ["intra-eip"]],
  [{ topology: "vpc-peering", name: "peering" }, ["peering-from-client", "peering-from-server"]],
];

const config = (change: (entry: Entry) => Entry = (entry) => entry) => ({
  "egress-bench:topologies": topologies.map(([entry]) => change(entry)),
});

/** Some 120 resources, on a machine that runs other tests too. */
const SLOW_MS = 300_000;

describe("all topologies", () => {
  let engine: AwsEngine;
  let stack: Stack;

  beforeAll(async () => {
    engine = createAwsEngine();
    stack = await engine.stack("aws-compare", config());
    await stack.up();
  }, SLOW_MS);
  afterAll(() => engine.dispose());

  // One preview for three questions, because it takes time: AWS has what was requested, newer images change nothing, and
  // resources deleted elsewhere are made again.
  it("are unchanged after a refresh, despite newer images, and remake resources deleted elsewhere", async () => {
    await stack.refresh({ expectNoChanges: true });
    const route = Object.values(engine.cloud().resources).find(({ kind }) => kind === "Route");
    engine.changeCloud((state) => {
      state.imageRelease++;
      delete state.resources[route!.id];
    });
    const changed = await changedBy((onEvent) => stack.preview({ onEvent, refresh: true }));
    engine.changeCloud((state) => {
      state.resources[route!.id] = route!;
    });
    const steps = changed.map(({ type, step }) => `${step} ${type}`);
    // A refresh reads everything, and stashes note the newer image without using it.
    const relevant = steps.filter((step) => !step.startsWith("refresh ") && step !== "update Stash");
    expect(relevant).toEqual(["create Route"]);
    expect(steps).toContain("update Stash");
  });

  it("wait for no more than they need", async () => {
    const resources = await engine.resources(stack);
    const paths = topologies.map(([{ name }]) => [
      name,
      criticalPath(resources, "Command", `${name}-client-ready`),
    ]);
    expect(Object.fromEntries(paths)).toMatchSnapshot();
  });

  interface Change {
    readonly name: string;
    readonly options: Record<string, unknown>;
    readonly expected: Record<string, string>;
  }
  const change = (name: string, options: Change["options"], expected: Change["expected"]): Change => ({
    name,
    options,
    expected,
  });
  const anotherArchitecture = change(
    "instance-2",
    { instanceType: "t3.micro" },
    {
      "Stash instance-2-nat-image": "replace",
      "NetworkInterface instance-2-nat-renewed-eni": "replace",
      "Stash instance-2-nat-user-data": "replace",
      "Instance instance-2-nat-renewed": "replace",
      "EipAssociation instance-2-nat-renewed-eni-1": "replace",
      "EipAssociation instance-2-nat-renewed-eni-2": "replace",
      "Route instance-2-default-client-network-instance-2-client": "update",
    },
  );

  /** An operation's effect on all changed resources, except commands, which run again on a new machine. */
  async function changes(
    operate: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
    ...all: readonly Change[]
  ): Promise<void> {
    const options = (name: string) => all.find((one) => one.name === name)?.options;
    engine.configure(
      "aws-compare",
      config((entry) => ({ ...entry, ...options(entry.name) })),
    );
    const changed = await changedBy(operate);
    const relevant = changed.filter(
      ({ type, step }) => type !== "Command" && !(type === "Stash" && step === "update"),
    );
    expect(Object.fromEntries(relevant.map((one) => [`${one.type} ${one.name}`, one.step]))).toEqual(
      Object.assign({}, ...all.map(({ expected }) => expected)),
    );
  }

  // Changes of different machines share a preview, or an update, because each takes time.
  it("another size stops and starts a machine, another architecture replaces machine and image, another image the machine, another size of a group of one the group, and another address stays beside the first", async () => {
    await changes(
      (onEvent) => stack.preview({ onEvent }),
      change("instance", { instanceType: "t4g.small" }, { "Instance instance-nat-machine": "update" }),
      anotherArchitecture,
      change(
        "fck",
        { image: imageId("fck-nat", "arm64", 7) },
        {
          "Instance fck-nat-machine": "replace",
          "EipAssociation fck-nat-eni-1": "replace",
          "Route fck-default-client-network-fck-client": "update",
          "Stash fck-nat-image": "delete",
        },
      ),
      change(
        "healing",
        { instanceType: "t4g.small" },
        {
          "NetworkInterface healing-nat-healing-eni": "replace",
          "LaunchTemplate healing-nat-template": "update",
          "Group healing-nat": "replace",
          "EipAssociation healing-nat-healing-eni-1": "replace",
          "Route healing-default-client-network-healing-client": "update",
        },
      ),
      change(
        "gateway",
        { publicIpCount: 2 },
        {
          "Eip gateway-eip-2": "create",
          "NatGateway gateway-nat-gateway": "update",
          "SecurityGroup server-sg": "update",
        },
      ),
    );
  });

  it(
    "other rules replace no machine; all can be changed and destroyed in an order that AWS accepts",
    async () => {
      await changes(
        (onEvent) => stack.up({ onEvent }),
        change("instance", { portRange: { first: 2000, last: 3000 } }, {}),
        anotherArchitecture,
      );
      expect(Object.keys((await stack.preview({ expectNoChanges: true })).changeSummary)).toEqual(["same"]);

      await stack.destroy();
      const { resources, requests } = engine.cloud();
      expect(resources).toEqual({});
      const deleted = requests.filter(({ action }) => action === "delete").map(({ name }) => name);
      for (const [{ name }, egress] of topologies) {
        const client = deleted.indexOf(`${name}-client`);
        expect(client).toBeGreaterThanOrEqual(0);
        for (const part of egress) {
          expect(deleted.lastIndexOf(part), `${part} goes after ${name}-client`).toBeGreaterThan(client);
        }
      }
    },
    SLOW_MS,
  );
});
