/**
 * Pulumi's mocks on top of a fake ARM that checks every body.
 *
 * Mocks never see `dependsOn`, time-outs or `deletedWith`: the engine's tests check those.
 */
import * as pulumi from "@pulumi/pulumi";
import { plainProperties } from "../../tools/command-standin/shared/envelopes.ts";
import { FakeArm } from "./azure-native-standin/fake-arm.ts";
import { resourceType } from "./azure-native-standin/resource-types.ts";
import { catalogue, type Registered, runMocked } from "./run-mocked.ts";

export interface Mocked<T> {
  readonly result: T;
  readonly resources: readonly Registered[];
  readonly arm: FakeArm;
  /** The inputs of the resource with this type (its last part) and name. */
  inputs(type: string, name: string): Registered["inputs"];
  /** `Type name` of each Azure resource, sorted. */
  azure(): string[];
}

/** Runs a program against mocks and waits until everything is registered. @throws the program's error, or ARM's first refusal */
export async function mocked<T>(
  program: () => T | Promise<T>,
  transformations?: pulumi.ResourceTransformation[],
): Promise<Mocked<T>> {
  const arm = new FakeArm();
  const resources: Registered[] = [];
  const refusals: Error[] = [];
  const newResource = async ({ type, name, inputs: raw }: pulumi.runtime.MockResourceArgs) => {
    const inputs: Registered["inputs"] = plainProperties(raw);
    resources.push({ type, name, inputs });
    try {
      return await answer(arm, type, name, inputs);
    } catch (error) {
      // Thrown here it would be reported once for each dependent resource.
      refusals.push(error as Error);
      return { id: `${name}-refused`, state: inputs };
    }
  };
  await pulumi.runtime.setMocks(
    {
      newResource: (args) => newResource(args) as unknown as { id: string; state: object },
      call: ({ token }) => {
        throw new Error(`${token}: no function is called by these components`);
      },
    },
    "egress-bench",
    "test",
    false,
  );
  const result = await runMocked(program, transformations);
  if (refusals[0] !== undefined) {
    throw refusals[0];
  }
  const { names, find } = catalogue(resources, "azure-native");
  return { result, resources, arm, azure: names, inputs: (type, name) => find(type, name).inputs };
}

async function answer(arm: FakeArm, type: string, name: string, inputs: Registered["inputs"]) {
  if (type.startsWith("azure-native")) {
    const nameInput = resourceType(type).path.at(-1) as string;
    const { id, outputs } = await arm.put(type, { [nameInput]: `${name}-0`, ...inputs });
    return { id, state: outputs };
  }
  if (type === "pulumi:index:Stash") {
    return { id: `${name}-id`, state: { ...inputs, output: inputs.input } };
  }
  const key = JSON.stringify({ privateKey: `private key of ${name}`, publicKey: `ssh-ed25519 ${name}` });
  return { id: `${name}-id`, state: { ...inputs, stdout: type === "command:local:Command" ? key : "" } };
}
