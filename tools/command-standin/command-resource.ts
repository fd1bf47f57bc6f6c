import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { check, type Shape } from "./check.ts";
import type { Operation, Resource } from "./operations.ts";
import { type Properties, plain, plainProperties, UNKNOWN, unwrap } from "./shared/envelopes.ts";

/** Arguments of a run; every value is plain, without secret envelopes. */
export interface CommandRun {
  readonly command: string;
  readonly inputs: Properties;
  /** `stdout` and `stderr` of the previous run, "" if there was none. */
  readonly previous: { readonly stdout: string; readonly stderr: string };
}

/** Runs a command and gives its outputs. Throws when it does not exit with status 0. */
export type CommandRunner = (operation: Operation, run: CommandRun) => Promise<Properties>;

const OUTPUTS = ["stdout", "stderr", "assets", "archive"];

/** Life cycle of a Command, local or remote; the two differ only in how a command runs. */
export function commandResource(shape: Shape, run: CommandRunner): Resource {
  const runIfGiven = async (
    operation: Operation,
    command: unknown,
    inputs: Properties,
    state: Properties,
  ) => {
    if (typeof command !== "string") return {};
    const { stdout, stderr } = plainProperties(state);
    const previous = { stdout: String(stdout ?? ""), stderr: String(stderr ?? "") };
    return run(operation, { command, inputs: plainProperties(inputs), previous });
  };
  return {
    check: (inputs) => check(shape, inputs),
    previewCreate: (inputs) => ({ ...inputs, stdout: UNKNOWN, stderr: UNKNOWN }),
    async create(operation, inputs) {
      const outputs = await runIfGiven(operation, plain(inputs.create ?? null), inputs, {});
      return {
        id: operation.name + randomBytes(4).toString("hex"),
        outputs: { ...inputs, stdout: "", stderr: "", ...outputs },
      };
    },
    previewUpdate: (state, inputs) => previewUpdate(shape, state, inputs),
    async update(operation, state, inputs) {
      const command = plain(inputs.update ?? inputs.create ?? null);
      const outputs = await runIfGiven(operation, command, inputs, state);
      return { ...inputs, ...previousOutputs(state), ...outputs };
    },
    async delete(operation, state) {
      await runIfGiven(operation, plain(state.delete ?? null), state, state);
    },
  };
}

/** Outputs that an update would leave: unknown where an input that they depend on changes. */
function previewUpdate(shape: Shape, state: Properties, inputs: Properties): Properties {
  const changed = Object.keys(shape.fields).some((property) => {
    const value = unwrap(inputs[property] ?? null);
    if (value === UNKNOWN) return true;
    return property in state && !isDeepStrictEqual(plain(value), plain(state[property] ?? null));
  });
  const outputs = previousOutputs(state);
  if (!changed) return { ...inputs, ...outputs };
  const unknown = Object.keys(outputs).map((property) => [property, UNKNOWN]);
  return { ...inputs, ...Object.fromEntries(unknown) };
}

function previousOutputs(state: Properties): Properties {
  const present = OUTPUTS.filter((property) => (state[property] ?? null) !== null);
  return Object.fromEntries(present.map((property) => [property, plain(state[property] ?? null)]));
}

/**
 * The variables that carry a run's previous outputs into the next one, unless
 * `addPreviousOutputInEnv` is false. An empty output has no variable.
 */
export function previousOutputVariables({ inputs, previous }: CommandRun): [name: string, value: string][] {
  if (inputs.addPreviousOutputInEnv === false) return [];
  const variables: [string, string][] = [
    ["PULUMI_COMMAND_STDOUT", previous.stdout],
    ["PULUMI_COMMAND_STDERR", previous.stderr],
  ];
  return variables.filter(([, value]) => value !== "");
}
