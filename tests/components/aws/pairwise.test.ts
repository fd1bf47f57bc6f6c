/**
 * Every two options of each topology together, against a fake EC2 that checks every input: the resources or the refusal.
 * Other resources must have another price in a preview. A refusal that is not the project's own, or resources that EC2
 * would refuse, fail.
 *
 * Not proved: that three options together do no more than each two.
 */
import { expect, it } from "vitest";
import { aws } from "../../../stacks/aws.ts";
import { awsCounted, awsMachine } from "../../helpers/counted.ts";
import type { Parameters } from "../../helpers/pairwise.ts";
import { pairwiseOutcomes } from "../../helpers/pairwise-outcomes.ts";
import { deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

/** Resources priced by the hour. A group that waits for spot's end has no machine yet. */
function priced(
  resources: readonly {
    readonly type: string;
    readonly name: string;
    readonly inputs: Record<string, unknown>;
  }[],
): string[] {
  const templateOf = (group: string) => resources.find(({ name }) => name === `${group}-template`);
  return resources
    .flatMap(({ type, name, inputs }) => {
      const kind = type.split(":").at(-1);
      switch (kind) {
        case "Instance":
          return [`machine ${String(inputs.instanceType)}`];
        case "Group":
          return inputs.desiredCapacity === 0
            ? []
            : [`machine ${String(awsMachine(inputs).size ?? templateOf(name)?.inputs.instanceType)}`];
        case "Eip":
        case "NatGateway":
          return [kind];
        default:
          return [];
      }
    })
    .sort();
}

it("knows every topology", () => {
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(aws.topologies).sort());
});

it.each(Object.keys(parameters))(
  "%s",
  async (topology) => {
    const outcomes = await pairwiseOutcomes({
      cloud: "aws",
      topology,
      parameters: parameters[topology] as Parameters,
      deploy: async (topologies, options) => {
        const stack = await deployMocked(topologies, options);
        const { resources, result: deployment } = stack;
        const counted = resources.map(awsCounted);
        return { count: stack.aws().length, priced: priced(resources), counted, deployment };
      },
    });
    expect(outcomes).not.toMatch(/EC2 would refuse|TypeError|is unknown|is missing/);
    expect(outcomes).toMatchSnapshot();
  },
  600_000,
);
