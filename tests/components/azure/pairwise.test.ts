/**
 * Every two options of each topology together, against a fake ARM that checks every body by the API's own schema: the
 * resources or the refusal. Other resources must have another price in a preview. A refusal that is not the project's own,
 * or a body that ARM would refuse, fails.
 *
 * Not proved: that three options together do no more than each two.
 */
import { expect, it } from "vitest";
import { azure } from "../../../stacks/azure.ts";
import { azureCounted } from "../../helpers/counted.ts";
import type { Parameters } from "../../helpers/pairwise.ts";
import { pairwiseOutcomes } from "../../helpers/pairwise-outcomes.ts";
import { deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

/** Resources that are priced by the hour. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of any resource type
function priced(resources: readonly { type: string; inputs: any }[]): string[] {
  return resources
    .flatMap(({ type, inputs }) => {
      const kind = type.split(":").at(-1) as string;
      switch (kind) {
        case "VirtualMachine":
          return [`machine ${String(inputs.hardwareProfile.vmSize)}`];
        case "PublicIPPrefix":
          return Array.from({ length: 2 ** (32 - inputs.prefixLength) }, () => "PublicIPAddress");
        case "AzureFirewall":
        case "VirtualNetworkGateway":
          return [`${kind} ${String(inputs.sku.name)} ${String(inputs.sku.tier)}`];
        case "PublicIPAddress":
        case "NatGateway":
        case "LoadBalancer":
          return [kind];
        default:
          return [];
      }
    })
    .sort();
}

it("knows every topology", () => {
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(azure.topologies).sort());
});

it.each(Object.keys(parameters))(
  "%s",
  async (topology) => {
    const outcomes = await pairwiseOutcomes({
      cloud: "azure",
      topology,
      parameters: parameters[topology] as Parameters,
      deploy: async (topologies, options) => {
        const stack = await deployMocked(topologies, options);
        const { resources, result: deployment } = stack;
        const counted = resources.flatMap(azureCounted);
        return { count: stack.azure().length, priced: priced(resources), counted, deployment };
      },
    });
    expect(outcomes).not.toMatch(/ARM would refuse|TypeError|serializ/);
    expect(outcomes).toMatchSnapshot();
  },
  600_000,
);
