import { asSecret, isObject, type Properties, plain, type Value } from "./shared/envelopes.ts";
import type { InputFailure } from "./shared/messages.ts";

/** Inputs of a Command that the project's programs use. */
export const commandInputs: readonly string[] = [
  ...["create", "update", "delete", "stdin", "triggers", "logging", "addPreviousOutputInEnv"],
];
/** Inputs of `command:remote:Command`. */
export const remoteCommandInputs: readonly string[] = [...commandInputs, "connection"];

/** The real plugin's defaults of a `connection` and its `proxy`. */
const endpointDefaults = { port: 22, user: "root", dialErrorLimit: 10, perDialTimeout: 15 };

/** The inputs with defaults filled in and the connection marked secret, and what is wrong with them. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly InputFailure[];
}

/** Checks inputs, as the real plugin's Check does. @param known Names of the inputs that there are */
export function check(known: readonly string[], inputs: Properties): Checked {
  const failures = Object.keys(inputs)
    .filter((property) => !known.includes(property))
    .map((property) => ({
      property,
      reason: `${property}: the offline stand-in of the command plugin does not have this input`,
    }));
  const { connection } = inputs;
  return {
    inputs: connection === undefined ? inputs : { ...inputs, connection: asSecret(endpointOf(connection)) },
    failures,
  };
}

/** A connection with its defaults, plain, because it is secret as a whole. It may be unknown in a preview. */
function endpointOf(connection: Value): Value {
  const given = plain(connection);
  if (!isObject(given)) return given;
  const { proxy } = given;
  return { ...endpointDefaults, ...given, ...(proxy === undefined ? {} : { proxy: endpointOf(proxy) }) };
}
