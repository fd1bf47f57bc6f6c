/**
 * A lab whose state was cut short is taken down all the same: its hosts are found without it. A stack of its own, for the
 * other files of this directory run beside it and have the ready-made ones.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labOf, labWorkspace, ownStackFiles, PROJECT } from "../../../cli/run/workspace.ts";
import { startCli } from "../../helpers/cli.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";

const STACK = "local-broken-state";
const stackFile = `${ownStackFiles}/Pulumi.${STACK}.yaml`;
const directory = mkdtempSync(`${tmpdir()}/egress-bench-broken-state-`);
const local = (...args: string[]) => startCli("local.ts", ["--stack", STACK, ...args]).ended;
const backend = labWorkspace.environment.PULUMI_BACKEND_URL?.replace("file://", "");
const state = `${backend}/.pulumi/stacks/${PROJECT}/${STACK}.json`;

beforeAll(() => {
  mkdirSync(ownStackFiles, { recursive: true });
  writeFileSync(stackFile, "config: { egress-bench:cloud: local, egress-bench:topologies: [direct] }\n");
});
afterAll(async () => {
  await local("--down", "--yes");
  rmSync(stackFile);
  for (const name of readdirSync(dirname(state)).filter((one) => one.startsWith(`${STACK}.json.broken-`))) {
    rmSync(`${dirname(state)}/${name}`);
  }
  rmSync(directory, { recursive: true });
});

test.each([
  ["with a backup of Pulumi's", []],
  ["without", [`${state}.bak`]],
])("%s", async (_, others) => {
  const plan = `${directory}/plan.json`;
  writeFileSync(plan, JSON.stringify({ cases: [{ tool: "connect", durationSeconds: 1 }] }));
  expect(await local("--keep", "--yes", "--plan", plan, "--out", `${directory}/results.json`)).toMatchObject({
    code: 0,
  });
  expect(hostsOf(labOf(STACK))).not.toEqual([]);
  for (const file of [state, ...others]) {
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 1000));
  }
  const { code, stderr } = await local("--down", "--yes");
  expect(stderr).toContain(`${STACK}: its state could not be read and is kept as ${state}.broken-`);
  expect(code).toBe(0);
  expect(hostsOf(labOf(STACK))).toEqual([]);
});
