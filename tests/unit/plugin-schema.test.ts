/**
 * The component plugin's package schema, and arguments that a language host sends. Under the real engine:
 * `tests/engine/component-plugin.test.ts`; in other languages: `tests/languages`.
 */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fckNatSchema, natInstanceSchema } from "../../components/aws/nat-args.ts";
import { natGatewaySchema } from "../../components/aws/nat-gateway-args.ts";
import { natInstanceSchema as azureNatSchema } from "../../components/azure/nat-args.ts";
import { natGatewaySchema as azureGatewaySchema } from "../../components/azure/nat-gateway-args.ts";
import { sshArgsSchema } from "../../components/shared/host-login.ts";
import { leftOut, pluginSchema, settled } from "../helpers/plugin-schema.ts";

const { resources, types } = await pluginSchema();

describe("the package schema", () => {
  it.each([
    ["aws:NatInstance", natInstanceSchema],
    ["aws:FckNat", fckNatSchema],
    ["aws:NatGatewayEgress", natGatewaySchema],
    ["azure:NatInstance", azureNatSchema],
    ["azure:NatGatewayEgress", azureGatewaySchema],
  ])("of %s has every argument that another language can give", (type, { shape }) => {
    const given = Object.keys(resources[`egress-bench:${type}`]?.inputProperties ?? {});
    expect(given.toSorted()).toEqual(
      Object.keys(shape)
        .filter((name) => !(name in leftOut))
        .toSorted(),
    );
  });

  it("refers only to types that it has", () => {
    const names = [...JSON.stringify({ resources, types }).matchAll(/"#\/types\/([^"]*)"/g)].map(
      ([, name]) => name,
    );
    expect(new Set(names)).toEqual(new Set(Object.keys(types)));
  });

  it("names a type once a module, by its property, or by its title where several have it", () => {
    expect(types).toHaveProperty("egress-bench:aws:Nat");
    expect(types["egress-bench:azure:Nat"]).toBeDefined();
    const hosts = Object.keys(types).filter((name) => name.includes("BenchHost"));
    expect(hosts).toEqual(["egress-bench:index:BenchHost"]);
  });
});

describe("arguments from another language", () => {
  const key = { publicKey: "ssh-ed25519 AAAA", privateKey: pulumi.secret("PRIVATE") };
  const ssh = { key, allowedCidrs: ["203.0.113.7/32"] };

  it("are taken apart where an object comes as one output, and secrets stay secret", async () => {
    const plain = (await settled(sshArgsSchema, pulumi.output(ssh))) as typeof ssh;
    expect(pulumi.Output.isInstance(plain)).toBe(false);
    expect(await pulumi.isSecret(pulumi.output(plain.key.privateKey))).toBe(true);
    expect(sshArgsSchema.safeParse(plain).success).toBe(true);
  });

  it("are refused where a value is not known that decides what is made", async () => {
    const count = z.strictObject({ volume: z.strictObject({ count: z.int() }) });
    await expect(settled(count, { volume: { count: pulumi.unknown } })).rejects.toMatchObject({
      propertyPath: "volume.count",
      reason: expect.stringContaining("must be known at preview"),
    });
  });
});
