/**
 * Effects of configuration changes on the `compare` stack, and the memory of their preview.
 *
 * Not proved: that the real provider replaces the same as the stand-in, which follows its published table.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { changedBy, observe } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAzureEngine, (one) => one.dispose());

it("the whole program previews compare in little memory", async () => {
  const stack = await engine.stack("compare", "whole");
  await stack.preview();
  const { seconds, cpuSeconds, megabytes } = engine.measured();
  const figures = [seconds, cpuSeconds, megabytes].map((figure) => figure.toFixed(1));
  console.log(`preview of compare: program ${figures[0]} s, CPU ${figures[1]} s, ${figures[2]} MB`);
  expect(megabytes).toBeLessThan(400);
});

describe("compare", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await engine.stack("compare", "topologies");
    await stack.up();
  });
  afterAll(() => stack.destroy());

  /** Azure's resources, and the waits for machines, that an update touches, by step. */
  async function up(overrides: Record<string, unknown>): Promise<Record<string, string[]>> {
    engine.configure("compare", overrides);
    const touched: Record<string, string[]> = {};
    for (const { step, type, name } of await changedBy((onEvent) => stack.up({ onEvent }))) {
      if (type !== "Stash") {
        touched[step] = [...(touched[step] ?? []), `${type} ${name}`].sort();
      }
    }
    return touched;
  }

  // Two independent changes share an update.
  const server = { zone: "1", clientSize: "Standard_D8ls_v5", serverSize: "Standard_D4ls_v5" };
  const gateway = ["direct", { topology: "nat-gateway", sku: "StandardV2" }, "nat-instance"];

  it("of the NAT gateway's zone makes a new gateway with a new address, since the old one still holds its own", async () => {
    const zoned = ["direct", { topology: "nat-gateway", zone: "1" }, "nat-instance"];
    const changes = await up({ "egress-bench:topologies": zoned });
    expect(changes).toEqual({
      replace: ["NatGateway nat-gateway", "PublicIPAddress nat-gateway-ip-1"],
      update: ["NetworkSecurityGroup server-nsg", "Subnet nat-gateway-client"],
    });
  });

  it("of another server size changes the server in place; another NAT gateway SKU replaces gateway and address, and keeps the machines", async () => {
    const changes = await up({ "egress-bench:azure": server, "egress-bench:topologies": gateway });
    expect(changes).toEqual({
      replace: ["NatGateway nat-gateway", "PublicIPAddress nat-gateway-ip-1"],
      update: ["NetworkSecurityGroup server-nsg", "Subnet nat-gateway-client", "VirtualMachine server"],
    });
  });

  it("of another image replaces the machines, and nothing else", async () => {
    const image = {
      publisher: "Canonical",
      offer: "ubuntu-24_04-lts",
      sku: "server",
      version: "24.04.202507010",
    };
    const machines = [
      ...["direct-client", "nat-gateway-client", "nat-gateway-jump", "nat-instance-client"],
      ...["nat-instance-jump", "nat-instance-nat", "server"],
    ];
    const changes = await up({
      "egress-bench:azure": { ...server, image },
      "egress-bench:topologies": gateway,
    });
    expect(changes.replace).toEqual(
      [
        ...machines.map((name) => `Command ${name}-ready`),
        "Command nat-instance-nat-set-up",
        ...machines.map((name) => `VirtualMachine ${name}`),
      ].sort(),
    );
    expect(changes.update ?? []).toEqual([]);
  });
});

it("fewer clients of a load balancer are refused while their ports are the others', and leave in the order that the refusal names", async () => {
  const pairs = (count: number, options = {}) => ({
    "egress-bench:pairs": count,
    "egress-bench:topologies": [{ topology: "load-balancer", ...options }],
  });
  const stack = await engine.stack("load-balancer", "topologies", pairs(2));
  const up = (...config: Parameters<typeof pairs>) => {
    engine.configure("load-balancer", pairs(...config));
    return stack.up({ showSecrets: false });
  };
  await stack.up({ showSecrets: false });
  await up(4);
  engine.configure("load-balancer", pairs(2));
  const { failureText } = await observe((onEvent) => stack.preview({ onEvent }));
  expect(failureText).toMatch(
    /allocatedOutboundPorts: 32000 for each of the 4 clients in the pool at present.*set allocatedOutboundPorts to 16000 and run pulumi up, then leave it out/,
  );
  // Without a preview, Azure refuses the update and keeps all clients.
  await expect(up(2)).rejects.toThrow(/ExceedsTotalNumberOfAvailablePorts: 128000 of 64000/);
  await up(2, { allocatedOutboundPorts: 16_000 });
  await up(2);
  await stack.destroy();
});
