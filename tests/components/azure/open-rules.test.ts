/** Sources that the rules of a whole Azure stack admit: only the named ones, in every topology. */
import { expect, test } from "vitest";
import { azure } from "../../../stacks/azure.ts";
import { circuitId, deployMocked } from "./deploy.ts";

const EVERYBODY = ["*", "0.0.0.0/0", "Internet", "Any", "::/0"];

interface Rule {
  readonly name: string;
  readonly direction: string;
  readonly access: string;
  readonly sourceAddressPrefix?: string;
  readonly sourceAddressPrefixes?: readonly string[];
}

test.each(Object.keys(azure.topologies))("%s admits nobody but who is named", async (topology) => {
  const options = topology === "expressroute" ? { circuitId } : {};
  const { resources } = await deployMocked([{ topology, ...options }]);
  const rules = resources
    .filter(({ type }) => type.endsWith(":NetworkSecurityGroup"))
    .flatMap(({ inputs }) => (inputs.securityRules ?? []) as Rule[])
    .filter(({ direction, access }) => direction === "Inbound" && access === "Allow");
  expect(rules.length).toBeGreaterThan(0);
  const sources = rules.flatMap(({ sourceAddressPrefix, sourceAddressPrefixes = [] }) => [
    ...(sourceAddressPrefix === undefined ? [] : [sourceAddressPrefix]),
    ...sourceAddressPrefixes,
  ]);
  expect(sources.length).toBeGreaterThanOrEqual(rules.length);
  expect(sources.filter((source) => EVERYBODY.includes(source))).toEqual([]);
});
