import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { check } from "./check.ts";
import type { Operation, Resource } from "./operations.ts";
import { type Properties, plain, plainProperties, UNKNOWN, unwrap } from "./shared/envelopes.ts";

/** Arguments of a run; every value is plain, without secret envelopes. */
export interface CommandRun {
  readonly command: string;
  readonly inputs: Properties;
}

/** Runs a command and gives its outputs. Throws when it does not exit with status 0. */
type CommandRunner = (operation: Operation, run: CommandRun) => Promise<Properties>;

const OUTPUTS = ["stdout", "stderr"];

/**
 * Life cycle of a Command, local or remote; the two differ only in how a command runs.
 *
 * @param known Names of its inputs
 */
export function commandResource(known: readonly string[], run: CommandRunner): Resource {
  const runIfGiven = async (operation: Operation, command: unknown, inputs: Properties) =>
    typeof command === "string" ? run(operation, { command, inputs: plainProperties(inputs) }) : {};
  return {
    check: (inputs) => check(known, inputs),
    previewCreate: (inputs) => ({ ...inputs, stdout: UNKNOWN, stderr: UNKNOWN }),
    async create(operation, inputs) {
      const outputs = await runIfGiven(operation, plain(inputs.create ?? null), inputs);
      return {
        id: operation.name + randomBytes(4).toString("hex"),
        outputs: { ...inputs, stdout: "", stderr: "", ...outputs },
      };
    },
    previewUpdate: (state, inputs) => previewUpdate(known, state, inputs),
    async update(operation, state, inputs) {
      const outputs = await runIfGiven(operation, plain(inputs.update ?? inputs.create ?? null), inputs);
      return { ...inputs, ...previousOutputs(state), ...outputs };
    },
    async delete(operation, state) {
      await runIfGiven(operation, plain(state.delete ?? null), state);
    },
  };
}

/** Outputs that an update would leave: unknown where an input that they depend on changes. */
function previewUpdate(known: readonly string[], state: Properties, inputs: Properties): Properties {
  const changed = known.some((property) => {
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
