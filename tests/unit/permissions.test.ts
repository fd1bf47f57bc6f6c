/**
 * Every resource of a cloud that any component can make, ready-made stack or not, has its actions in the tables that policies
 * and roles are derived from, and the tables have no others. What a component can make is what it imports from its provider's package.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { knownAwsFunctions, knownAwsTypes } from "../../docs/generate/permissions/aws.ts";
import { knownAzureTypes } from "../../docs/generate/permissions/azure.ts";

/** Names that are imported from a provider's package, types left out, with the file that each is of. */
function imported(provider: string): { file: string; name: string }[] {
  const pattern = new RegExp(`^import \\{([^}]*)\\} from "@pulumi/${provider}/(.+)\\.js";$`, "gm");
  return globSync(["components/**/*.ts", "stacks/**/*.ts"]).flatMap((source) =>
    [...readFileSync(source, "utf8").matchAll(pattern)].flatMap(([, names = "", file = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/ as \w+$/, ""))
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => ({ file, name })),
    ),
  );
}

const isFunction = ({ name }: { name: string }) => /^get[A-Z]/.test(name);
const sorted = (all: readonly string[]) => [...new Set(all)].sort();

it("AWS: resources", () => {
  const made = imported("aws").filter((one) => !isFunction(one));
  expect(sorted(made.map(({ file, name }) => `aws:${file}:${name}`))).toEqual(sorted(knownAwsTypes));
});

it("AWS: functions", () => {
  const called = imported("aws").filter(isFunction);
  const tokens = called.map(({ file }) => {
    const [name = "", room = "index"] = file.split("/").reverse();
    return `aws:${room}/${name}:${name}`;
  });
  // Every policy has it: a preview compares quotas.
  const quota = "aws:servicequotas/getServiceQuota:getServiceQuota";
  expect(sorted(tokens)).toEqual(sorted([...knownAwsFunctions, quota]));
});

it("Azure: resources", () => {
  const made = imported("azure-native").filter((one) => !isFunction(one));
  const tokens = made.map(({ file, name }) => `azure-native:${file.split("/")[0]}:${name}`);
  expect(sorted(tokens)).toEqual(sorted(knownAzureTypes));
});
