/**
 * Every exported component refuses arguments that its types forbid, as passed by a program in JavaScript, by name. The
 * schemas are the constructors' own, and the types are inferred from them. Not proved: rules that depend on several
 * arguments, which each component's own tests have.
 */
import * as pulumi from "@pulumi/pulumi";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import * as aws from "../../components/aws/index.ts";
import * as azure from "../../components/azure/index.ts";
import * as common from "../../components/index.ts";
import * as local from "../../components/local/index.ts";
import * as argsSchema from "../../components/shared/args-schema.ts";
import { mocks } from "../../components/testing.ts";

type Component = new (name: string, args?: unknown, opts?: pulumi.ComponentResourceOptions) => unknown;

const components = Object.entries({ common, aws, azure, local }).flatMap(([entry, exports]) =>
  Object.entries(exports)
    .filter(([, one]) => typeof one === "function" && one.prototype instanceof pulumi.ComponentResource)
    // Its second parameter is the resource's options.
    .filter(([name]) => name !== "SshKeyPair")
    .map(([name, one]) => [entry, name, one as unknown as Component] as const),
);

/** The constructor's refusal. */
function refusal(Component: Component, args?: unknown): string {
  try {
    new Component("a", args);
    return "accepted";
  } catch (error) {
    // Other errors, such as a TypeError, name something inside.
    return pulumi.InputPropertyError.isInstance(error) ? error.message : `not by name: ${error}`;
  }
}

const checks = vi.spyOn(argsSchema, "checkArgs");

/** The constructor's schema. */
function schemaOf(Component: Component): z.ZodObject {
  checks.mockClear();
  refusal(Component);
  return checks.mock.calls[0]?.[1] as z.ZodObject;
}

await pulumi.runtime.setMocks(mocks());
afterAll(() => checks.mockRestore());

test("every entry has components", () => {
  const names = components.map(([entry, name]) => `${entry}.${name}`);
  expect(names).toEqual(expect.arrayContaining(["aws.NatInstance", "azure.VpnGateway", "local.Link"]));
  expect(names).toEqual(expect.arrayContaining(["common.BenchmarkRun", "common.ExistingHost"]));
  expect(names.length).toBeGreaterThanOrEqual(30);
});

describe.each(components)("%s %s", (_, name, Component) => {
  const schema = schemaOf(Component);
  const required = Object.entries(schema.shape).filter(([, one]) => !one.safeParse(undefined).success);

  test("names a missing argument", () => {
    const said = [refusal(Component), refusal(Component, {})];
    for (const [argument] of required) {
      for (const one of said) expect(one).toContain(`${argument}: is missing; ${name} needs it`);
    }
    if (required.length === 0) expect(said).toEqual(["accepted", "accepted"]);
  });

  test("refuses an unknown argument, and suggests the intended one", () => {
    const [argument] = Object.keys(schema.shape) as [string];
    expect(refusal(Component, { [`${argument}x`]: "1" })).toContain(
      `${argument}x: is not an argument of ${name}; did you mean ${argument}`,
    );
  });

  test.each(Object.keys(schema.shape))("refuses NaN as %s by name, and in lists and objects", (argument) => {
    for (const wrong of [Number.NaN, [Number.NaN], { nothing: Number.NaN }, Symbol("no")]) {
      if (schema.shape[argument]?.safeParse(wrong).success) continue;
      expect(refusal(Component, { [argument]: wrong })).toMatch(new RegExp(`(^|\n|: )${argument}[.[:]`));
    }
    expect(schema.shape[argument]?.safeParse(Number.NaN).success).toBe(false);
  });
});
