/**
 * Defaults, figures and choices in the component plugin's texts compared with the library's options. The texts are doc
 * comments, which the engine's analyser reads from the source; `tests/engine/component-plugin.test.ts` compares them with
 * the committed schema.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { natInstanceSchema as awsNatSchema, fckNatSchema } from "../../components/aws/nat-args.ts";
import { natGatewaySchema as awsGatewaySchema } from "../../components/aws/nat-gateway-args.ts";
import { natInstanceSchema as azureNatSchema } from "../../components/azure/nat-args.ts";
import { natGatewaySchema as azureGatewaySchema } from "../../components/azure/nat-gateway-args.ts";
import { benchmarkRunSchema } from "../../components/benchmark/benchmark-run-args.ts";

interface Input {
  readonly description: string;
  readonly $ref?: string;
}
const file = new URL("../../packages/pulumi-plugin/schema.json", import.meta.url);
const { resources, types } = JSON.parse(readFileSync(file, "utf8"));

const components: Record<string, z.ZodType> = {
  ...{ AwsNatInstance: awsNatSchema, AwsFckNat: fckNatSchema, AwsNatGatewayEgress: awsGatewaySchema },
  ...{ AzureNatInstance: azureNatSchema, AzureNatGatewayEgress: azureGatewaySchema },
  ...{ BenchmarkRun: benchmarkRunSchema, AwsBenchPair: awsNatSchema, AzureBenchPair: azureNatSchema },
};

/** Flat arguments with another name or place in the library. */
const places: Record<string, string> = {
  ...{ tcpIdleSeconds: "nat.idleTimeouts.tcp", tcpHalfClosedIdleSeconds: "nat.idleTimeouts.tcpHalfClosed" },
  ...{ udpIdleSeconds: "nat.idleTimeouts.udp", udpUnansweredSeconds: "nat.idleTimeouts.udpUnanswered" },
  ...{ firstPort: "nat.portRange", lastPort: "nat.portRange", upgradeAt: "nat.upgradeWindow" },
  ...{ upgradeReboot: "nat.upgradeWindow.reboot", elasticIps: "publicIps", existingPublicIps: "publicIps" },
  ...{ volumeSizeGib: "volume.sizeGib", volumeKmsKeyId: "volume.kmsKeyId" },
  ...{ spotInstanceTypes: "spot.instanceTypes", natInstanceType: "instanceType", natSize: "size" },
  ...{ existingPublicIpPrefix: "publicIpPrefix", existingPublicIpsV6: "publicIpsV6" },
  ...{ "AwsBenchPair.instanceType": "", "AzureBenchPair.size": "", "AwsBenchPair.zone": "" },
};

/** Defaults that the plugin sets itself, or that its library's option has in other words. */
const own: Record<string, string> = {
  highAvailability: "false",
  spot: "false",
  "AwsFckNat.image": "the image of imageName",
  "AzureNatGatewayEgress.nat64": "false",
  "BenchmarkRun.plan": "quick",
  "BenchmarkRun.runId": "1",
};

/** Arguments without an option in the library: a login's, and those of a benchmark, whose library takes objects. */
const withoutOption = [
  ...["sshAllowedCidrs", "sshPrivateKey", "sshPublicKey", "spotRetryHourUtc", "egress", "client", "server"],
  ...["natInstance", "topology", "expectedSourceIps", "AwsBenchPair.instanceType", "AzureBenchPair.size"],
  "AwsBenchPair.zone",
];

interface Bare {
  readonly shape: z.ZodRawShape;
  readonly options: readonly unknown[];
  readonly minValue: number;
  readonly maxValue: number;
}

/** A type without what wraps it: optional, read-only, or a value that may be known later. */
function bare(type: z.ZodType): z.ZodType & Partial<Bare> {
  const { innerType, options } = type.def as { innerType?: z.ZodType; options?: readonly z.ZodType[] };
  const inner = innerType ?? options?.at(-1);
  return inner === undefined ? type : bare(inner);
}

function optionAt(library: z.ZodType, path: string): z.ZodType | undefined {
  return path
    .split(".")
    .reduce<z.ZodType | undefined>((at, key) => at && (bare(at).shape?.[key] as z.ZodType), library);
}

const flat = Object.entries(components).flatMap(([component, library]) =>
  Object.entries<Input>(resources[`egress-bench:index:${component}`].inputProperties).map(([name, input]) => {
    const title = `${component}.${name}`;
    const place = places[title] ?? places[name] ?? name;
    const option = optionAt(library, place) ?? optionAt(library, `nat.${place}`);
    const [text = "", stated] = input.description.split(/ Default: (.*)\.$/);
    const known = { title, text, stated, option, values: types[input.$ref?.slice(8) ?? ""]?.enum };
    return { ...known, ownDefault: own[title] ?? own[name], noOption: withoutOption.includes(name) };
  }),
);

describe("an argument of the component plugin", () => {
  it.each(flat)("$title states the library's default, figures and choices", (argument) => {
    const { title, text, stated, option, ownDefault, values } = argument;
    if (option === undefined) {
      expect(argument.noOption || withoutOption.includes(title) || ownDefault === stated).toBe(true);
      return;
    }
    const { default: value, fallback, description } = (option.meta() ?? {}) as Record<string, unknown>;
    if (ownDefault !== undefined) expect(stated).toBe(ownDefault);
    else if (value !== undefined) expect(stated).toBe(String(value));
    else if (fallback !== undefined) expect(fallback).toContain(stated);
    // Without a default in the library's schema the plugin states none that could go out of date.
    else expect(stated ?? "none").not.toMatch(/\d|true|false/);
    if (typeof description === "string") {
      const figures = text.replace(/ such as [^,;]*/g, "").match(/\b\d[\d,]*\b/g) ?? [];
      const { minValue, maxValue } = bare(option);
      for (const figure of figures) expect(`${description} ${minValue} ${maxValue}`).toContain(figure);
      if (title.startsWith("BenchmarkRun.")) expect(text).toBe(description);
    }
    if (values !== undefined) {
      const names: string[] = values.map((one: { value: string }) => one.value);
      expect(names.toSorted()).toEqual((bare(option).options as string[]).toSorted());
    }
  });
});
