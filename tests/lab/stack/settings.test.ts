/** Settings of a measured lab that are changed and taken back: what was measured stays, and so does its verdict. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const connect = (id: string) => ({ id, tool: "connect", durationSeconds: 1 });
let lab: LabStack;
let first: Results;

beforeAll(async () => {
  const configuration = { topologies: ["direct", "nat-instance"], plan: { cases: [connect("first")] } };
  lab = await openLabStack(configuration, { environment: savingAtEnd });
  ({ results: first } = await lab.up());
});
afterAll(() => lab.dispose());

const netem = ["--net", "tc", ..."qdisc add dev lo root netem delay 1ms".split(" ")];
const hasNetem = spawnSync("unshare", netem).status === 0;

test(`a delay that was ${hasNetem ? "made" : "refused"} and taken back has cut no host off`, async () => {
  lab.configure({ local: { links: { server: { delayMs: 5 } } } });
  const delayed = lab.up();
  await (hasNetem ? delayed : expect(delayed).rejects.toThrow(/no netem \(/));
  lab.configure({ local: undefined, plan: { cases: [connect("first"), connect("second")] } });
  const { results } = await lab.up();
  expect(results.cases.map(({ topology, id, failure }) => [topology, id, failure])).toEqual([
    ["direct", "first", null],
    ["nat-instance", "first", null],
    ["direct", "second", null],
    ["nat-instance", "second", null],
  ]);
  expect(results.cases.slice(0, 2)).toEqual(first.cases);
});

test("a topology's path stays proved when its addresses move with its place in the list", async () => {
  lab.configure({ topologies: ["nat-instance"], plan: { cases: [connect("first"), connect("third")] } });
  const { results } = await lab.up();
  const [kept, added] = results.cases;
  expect(kept).toEqual(first.cases[1]);
  expect(added).toMatchObject({ id: "third", failure: null, sourceIp: "198.19.1.1" });
  expect(results.topologies[0]?.path).toEqual({
    status: "proved",
    sourceIps: ["198.19.2.1", "198.19.1.1"],
    message: null,
  });
});
