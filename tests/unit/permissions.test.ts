/**
 * Every cloud resource that any component can make, whether in a ready-made stack or not, has its actions in the tables behind policies
 * and roles, and the tables have no others. A component can make what it imports from its provider's package.
 */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { awsPolicy, knownAwsFunctions, knownAwsTypes } from "../../tools/reference/permissions/aws.ts";
import { azureRole, knownAzureTypes } from "../../tools/reference/permissions/azure.ts";
import provider from "../fixtures/aws-provider-calls.json" with { type: "json" };

/** Names imported from a provider's package, without types and the provider itself, with the importing file. */
function imported(provider: string): { file: string; name: string }[] {
  const pattern = new RegExp(`^import \\{([^}]*)\\} from "@pulumi/${provider}/(.+)\\.js";$`, "gm");
  return globSync(["components/**/*.ts", "stacks/**/*.ts"]).flatMap((source) =>
    [...readFileSync(source, "utf8").matchAll(pattern)].flatMap(([, names = "", file = ""]) =>
      (file === "provider" ? "" : names)
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
  expect(sorted(tokens)).toEqual(sorted(knownAwsFunctions));
});

it("Azure: resources", () => {
  const made = imported("azure-native").filter((one) => !isFunction(one));
  const tokens = made.map(({ file, name }) => `azure-native:${file.split("/")[0]}:${name}`);
  expect(sorted(tokens)).toEqual(sorted(knownAzureTypes));
});

describe("AWS: what the provider's code calls, of a resource's create, read, update and delete", () => {
  const listed = (table: Readonly<Record<string, string>>) =>
    Object.entries(table).map(([token, text]) => [token, text.split(" ").filter(Boolean)] as const);
  const [calls, reads] = [listed(provider.calls), listed(provider.functions)];
  const unused = provider.unused as Readonly<Record<string, string>>;
  const granted = (used: { types?: string[]; functions?: string[] }) =>
    awsPolicy({ types: [], functions: [], region: "us-east-1", spot: false, ...used }).Statement.flatMap(
      ({ Action }) => Action,
    );

  it("is known for every resource and function", () => {
    expect(sorted(calls.map(([type]) => type))).toEqual(sorted(knownAwsTypes));
    expect(sorted(reads.map(([token]) => token))).toEqual(sorted(knownAwsFunctions));
  });

  it.each([...calls, ...reads])(
    "%s: is in its policy, or has a reason to be left out",
    (token, operations) => {
      const allowed = granted(token.includes("/get") ? { functions: [token] } : { types: [token] });
      expect(operations.filter((one) => !allowed.includes(one) && unused[one] === undefined)).toEqual([]);
    },
  );

  it("every given reason is for an existing call", () => {
    const called = [...calls, ...reads].flatMap(([, operations]) => operations);
    expect(Object.keys(unused).filter((one) => !called.includes(one))).toEqual([]);
  });
});

it("Azure: a disk's own key may be read", () => {
  const id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/d";
  const inputs = { storageProfile: { osDisk: { managedDisk: { diskEncryptionSet: { id } } } } };
  const { Actions } = azureRole("one", [{ type: "azure-native:compute:VirtualMachine", inputs }]);
  expect(Actions).toContain("Microsoft.Compute/diskEncryptionSets/read");
});
