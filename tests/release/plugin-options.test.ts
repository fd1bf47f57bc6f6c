/**
 * The component plugin's flat arguments compared with the library's options: each is passed on, or left out with a reason. Its
 * schema and its components: `tests/engine/component-plugin.test.ts`.
 */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { hostOf, withoutPackages } from "../helpers/type-errors.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const schema = JSON.parse(readFileSync(`${ROOT}packages/pulumi-plugin/schema.json`, "utf8"));

/** Parsed files, shared by all programs. */
const unchanged = new Map<string, ts.SourceFile | undefined>();

/** Compiler errors of the plugin, with one of the library's files replaced. */
function problems(change?: { readonly file: string; readonly from: string; readonly to: string }): string[] {
  const path = `${ROOT}tests/helpers/component-plugin.tsconfig.json`;
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, `${ROOT}tests/helpers`);
  // The clouds' SDKs and Node contain nineteen twentieths of all types, none of them in options of these classes.
  const host = withoutPackages(hostOf(ts, options), /\/node_modules\/(?!@pulumi$|@pulumi\/pulumi\b|zod\b)/);
  const { getSourceFile } = host;
  host.getSourceFile = (name, language, ...rest) => {
    if (change === undefined || !name.endsWith(change.file)) {
      if (!unchanged.has(name)) unchanged.set(name, getSourceFile(name, language, ...rest));
      return unchanged.get(name);
    }
    const text = host.readFile(name) ?? "";
    expect(text).toContain(change.from);
    return ts.createSourceFile(name, text.replace(change.from, change.to), language);
  };
  const program = ts.createProgram(fileNames, options, host);
  const own = (file: string | undefined) => file?.includes("/packages/pulumi-plugin/") ?? false;
  const files = program.getSourceFiles().filter(({ fileName }) => own(fileName));
  return files
    .flatMap((file) => program.getSemanticDiagnostics(file))
    .filter(({ messageText }) => messageText !== "Cannot find name '__dirname'.")
    .map(({ file, messageText }) => {
      const name = file?.fileName.split("/").at(-1);
      return `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
}

describe("an option of the library's class", () => {
  it("is passed on by the plugin, or left out", () => {
    expect(problems()).toEqual([]);
  }, 240_000);

  it("that is new is a compiler error until it is one of the two", () => {
    const found = problems({
      file: "components/aws/nat-args.ts",
      from: "privateCidrs: texts",
      to: "quiteNew: text.optional(),\n  privateCidrs: texts",
    });
    expect(found.map((one) => one.split(":")[0])).toEqual(["aws-nat.ts", "aws-nat.ts"]);
    expect(found.join()).toContain("quiteNew");
  }, 240_000);
});

it("that is left out has a reason, and is no argument", async () => {
  const { leftOut, leftOutOfNat } = await import("../../packages/pulumi-plugin/left-out.ts" as string);
  expect(Object.keys(leftOut).length).toBeGreaterThan(0);
  const all = { ...leftOut, AwsNatInstance: { ...leftOut.AwsNatInstance, ...leftOutOfNat } };
  for (const [component, options] of Object.entries<Record<string, string>>(all)) {
    const { inputProperties } = schema.resources[`egress-bench:index:${component}`];
    for (const [option, reason] of Object.entries(options)) {
      expect(reason.length, `${component}.${option}`).toBeGreaterThan(20);
      expect(inputProperties, component).not.toHaveProperty(option);
    }
  }
});
