/**
 * The role's state machine, explored together with the link, the cloud's API and faults: from each of the states that are
 * nearest to the start, one machine carries within the bound once faults stop, and none says for longer than three rounds
 * that it carries while it does not. Not proved: states farther away.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));

test("one machine carries again within twenty rounds from every state that was reached, and none lies for more than three", {
  timeout: 120_000,
}, () => {
  const args = [
    "-B",
    path("tests/helpers/pair-trial/role-model.py"),
    path("components/nat-instance/pair"),
    "20000",
  ];
  const found = JSON.parse(execFileSync("python3", args, { encoding: "utf8" }));
  expect(found).toMatchObject({ states: expect.any(Number), lost: 0 });
  expect(found.states).toBeGreaterThanOrEqual(20_000);
  expect(found.worst).toBeLessThanOrEqual(20);
  // A look is due after two rounds, and its answer is waited for one more.
  expect(found.lying).toBeLessThanOrEqual(3);
});
