/**
 * What a stack outputs and what was done with it, from the files of its state. Pulumi's Automation API asks the CLI
 * three times after each operation, which takes more of the processors than a preview.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputMap, Stack, UpdateSummary } from "@pulumi/pulumi/automation/index.js";

/** How the state marks a secret, wherever in an output it is. */
const SECRET = '"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270"';

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** The outputs; undefined: one of them holds a secret, which only the CLI can read. */
function storedOutputs(file: string): OutputMap | undefined {
  const { checkpoint } = readJson(file);
  const resources = (checkpoint.latest?.resources ?? []) as { type: string; outputs?: object }[];
  const { outputs = {} } = resources.find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
  if (JSON.stringify(outputs).includes(SECRET)) {
    return undefined;
  }
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { value, secret: false }]));
}

/** The operations, the latest first. */
function storedHistory(directory: string): UpdateSummary[] {
  const date = (seconds: number) => new Date(seconds * 1000);
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return files
    .filter((name) => name.endsWith(".history.json"))
    .sort()
    .reverse()
    .map((name) => readJson(join(directory, name)))
    .map((one) => ({ ...one, startTime: date(one.startTime), endTime: date(one.endTime) }));
}

/**
 * Has a stack answer from its state.
 *
 * @param state Directory of the backend.
 */
export async function withStoredAnswers(stack: Stack, state: string): Promise<Stack> {
  const { name: project } = await stack.workspace.projectSettings();
  const of = (kind: string) => join(state, ".pulumi", kind, project, stack.name);
  const file = `${of("stacks")}.json`;
  const fromCli = () => stack.workspace.stackOutputs(stack.name);
  return Object.assign(stack, {
    outputs: async () => storedOutputs(file) ?? (await fromCli()),
    history: async () => storedHistory(of("history")),
  });
}
