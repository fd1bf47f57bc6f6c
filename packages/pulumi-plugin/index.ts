/**
 * The component plugin: `pulumi package add` gives it to programs in Python, Go, Node and YAML (C# and Java: not tested).
 *
 * Its classes are the library's own, with all their options; the pairs and the benchmark, which in TypeScript take objects of
 * the program, are put together here.
 */
import type * as pulumi from "@pulumi/pulumi";
import { main } from "@pulumi/pulumi/provider";
import { components } from "./components";
import { version } from "./package.json";
import { packageSchema } from "./schema";
import { settle } from "./settle";

const provider = {
  version,
  getSchema: async () => JSON.stringify(packageSchema(version, components)),
  async construct(
    name: string,
    type: string,
    inputs: pulumi.Inputs,
    options: pulumi.ComponentResourceOptions,
  ) {
    const component = components[type];
    if (component === undefined) {
      throw new Error(
        `${type} is no component of egress-bench; expected one of ${Object.keys(components).join(", ")}`,
      );
    }
    const args = await settle(component.args, inputs);
    const { resource, outputs } = component.construct(name, args, options);
    return { urn: resource.urn, state: outputs };
  },
};

void main(provider, process.argv.slice(2));
