/**
 * Each two options of each topology together, against a fake EC2 that checks every input: what is made, or what the refusal
 * says; and what is made of other resources has another price in a preview. A refusal that is not the project's own, or resources that EC2 would refuse, fail.
 *
 * Not proved: that three options together do no more than each two.
 */
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { stackCost } from "../../../cli/compare/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { aws } from "../../../stacks/aws.ts";
import { partsOf } from "../../helpers/option-tables.ts";
import { type Parameters, pairwise } from "../../helpers/pairwise.ts";
import { deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

/** What costs by the hour. */
function priced(resources: readonly { type: string; inputs: Record<string, unknown> }[]): string[] {
  return resources
    .flatMap(({ type, inputs }) => {
      const kind = type.split(":").at(-1);
      switch (kind) {
        case "Instance":
        case "LaunchTemplate":
          return [`machine ${String(inputs.instanceType)}`];
        case "Eip":
        case "NatGateway":
          return [kind];
        default:
          return [];
      }
    })
    .sort();
}

const plan = parsePlan("quick");

/** What a preview says that it costs, by the hour. */
function costOf(topology: string, { pairs, settings, options }: ReturnType<typeof partsOf>): string {
  const topologies = [{ name: topology, topology, options }];
  const file = { name: "s", cloud: "aws", plan: {}, topologies, settings, pairs };
  const { hourlyUsd, missing } = stackCost(file as never, plan, priceSnapshots.aws);
  return JSON.stringify({ hourlyUsd: hourlyUsd.toFixed(6), missing });
}

it("knows every topology", () => {
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(aws.topologies).sort());
});

it.each(Object.keys(parameters))(
  "%s",
  async (topology) => {
    const outcomes: string[] = [];
    const prices = new Map<string, string>();
    for (const combination of pairwise(parameters[topology] as Parameters)) {
      const parts = partsOf(combination);
      const { pairs, settings, options } = parts;
      const said = await deployMocked([{ topology, ...options }], { settings, pairs }).then(
        (stack) => {
          const made = JSON.stringify(priced(stack.resources));
          const cost = costOf(topology, parts);
          // What is made of other resources costs something else; what is made of the same ones in one place does not.
          expect([...prices].find(([other, price]) => other !== made && price === cost)).toBeUndefined();
          prices.set(made, cost);
          return `${stack.aws().length} resources`;
        },
        (error: Error) => {
          if (error.name === "AssertionError") throw error;
          return `refused: ${error.message.split("\n").slice(0, 3).join(" ")}`;
        },
      );
      outcomes.push(`${JSON.stringify(combination)}\n  ${said}`);
    }
    expect(outcomes.join("\n")).not.toMatch(/EC2 would refuse|TypeError|is unknown|is missing/);
    expect(`${outcomes.join("\n")}\n`).toMatchSnapshot();
  },
  300_000,
);
