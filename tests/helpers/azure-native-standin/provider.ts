/**
 * The azure-native provider, as far as these tests need: inputs are checked against ARM's schema, missing names are
 * generated, changes of a resource's place replace it, and everything else goes to the fake ARM.
 *
 * Written after the real provider's behaviour; their equality is not proved.
 */
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PropertyChange } from "../../../tools/command-standin/shared/diff.ts";
import { differences } from "../../../tools/command-standin/shared/diff.ts";
import { type Properties, plain, UNKNOWN } from "../../../tools/command-standin/shared/envelopes.ts";
import type { FakeArm } from "./fake-arm.ts";
import { managementClient } from "./mappers.ts";
import { requestBody } from "./request-body.ts";
import { apiVersionOf, bodyInputs, resourceType, unversioned } from "./resource-types.ts";

/** Generates a missing name like the real provider, and keeps it for the resource's life. */
export function withName(token: string, pulumiName: string, olds: Properties, news: Properties): Properties {
  const nameInput = resourceType(token).path.at(-1) as string;
  const name = news[nameInput] ?? olds[nameInput] ?? `${pulumiName}${randomBytes(4).toString("hex")}`;
  return { ...news, [nameInput]: name };
}

/** Violations of ARM's schema. */
export async function problemsOf(token: string, inputs: Properties): Promise<readonly string[]> {
  const type = resourceType(token);
  const client = await managementClient(type.client, apiVersionOf(token));
  return requestBody(client, type.className, bodyInputs(type, plain(inputs) as Properties)).problems;
}

/** Changes between two sets of inputs. */
export function changesOf(token: string, olds: Properties, news: Properties): PropertyChange[] {
  const { path, forceNew } = resourceType(token);
  const replacing = [...path, ...forceNew];
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
  return keys.flatMap((key) =>
    differences(plain(olds[key] ?? null), plain(news[key] ?? null), key).map((change) => ({
      ...change,
      replaces: replacing.includes(key),
    })),
  );
}

/** Outputs that the engine cannot know yet are unknown. */
export function previewed(token: string, inputs: Properties, state: Properties = {}): Properties {
  const computed = computedOutputs[unversioned(token)] ?? [];
  const unknown = Object.fromEntries([...computed, "id", "name"].map((key) => [key, state[key] ?? UNKNOWN]));
  return { ...state, ...inputs, ...unknown };
}

/** Outputs that contain more than the input of the same name, or have none. */
const computedOutputs: Readonly<Record<string, readonly string[]>> = {
  "azure-native:network:PublicIPAddress": ["ipAddress"],
  "azure-native:network:PublicIPPrefix": ["ipPrefix"],
  "azure-native:network:NetworkInterface": ["ipConfigurations"],
  "azure-native:network:AzureFirewall": ["ipConfigurations"],
  "azure-native:compute:VirtualMachine": ["vmId"],
};

/** Creates or updates; secret values stay secret. */
export async function put(
  arm: FakeArm,
  token: string,
  inputs: Properties,
): Promise<{ id: string; state: Properties }> {
  const { id, outputs } = await arm.put(token, plain(inputs) as Properties);
  const secret = Object.fromEntries(
    Object.entries(inputs).filter(([, value]) => !isDeepStrictEqual(value, plain(value))),
  );
  return { id, state: { ...(outputs as Properties), ...secret } };
}
