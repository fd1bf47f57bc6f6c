/**
 * Each two options of each topology together, against a fake ARM that checks every body by the API's own schema: what is
 * made, or what the refusal says. A refusal that is not the project's own, or a body that ARM would refuse, fails.
 *
 * Not proved: that three options together do no more than each two.
 */
import { expect, it } from "vitest";
import { azure } from "../../../stacks/azure.ts";
import { partsOf } from "../../helpers/option-tables.ts";
import { type Parameters, pairwise } from "../../helpers/pairwise.ts";
import { deployMocked } from "./deploy.ts";
import { parameters } from "./options.ts";

it("knows every topology", () => {
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(azure.topologies).sort());
});

it.each(Object.keys(parameters))(
  "%s",
  async (topology) => {
    const outcomes: string[] = [];
    for (const combination of pairwise(parameters[topology] as Parameters)) {
      const { pairs, settings, options } = partsOf(combination);
      const said = await deployMocked([{ topology, ...options }], { settings, pairs }).then(
        (stack) => `${stack.azure().length} resources`,
        (error: Error) => `refused: ${error.message.split("\n").slice(0, 3).join(" ")}`,
      );
      outcomes.push(`${JSON.stringify(combination)}\n  ${said}`);
    }
    expect(outcomes.join("\n")).not.toMatch(/ARM would refuse|TypeError|serializ/);
    expect(`${outcomes.join("\n")}\n`).toMatchSnapshot();
  },
  600_000,
);
