/**
 * Shell that puts the agent on a host and prepares it.
 *
 * @module
 */
import { AGENT_DIRECTORY, commandLine } from "../../bench/index.ts";
import { type TuningName, undoScript } from "../tuning/index.ts";

/**
 * stdin: a line of JSON for the agent, then the agent's files as a JSON object. Written whole and renamed, since
 * an agent that runs already may be reading them.
 */
const writeSources = `
import json, os, sys
sources = json.load(sys.stdin)
for name, text in sources.items():
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name + ".new", "w") as file:
        file.write(text)
    os.replace(name + ".new", name)
# A module of an earlier release must not be found in place of a room.
for name in os.listdir("."):
    if name.endswith(".py") and name not in sources:
        os.remove(name)`;

/** Puts the agent's files, a JSON object on stdin, into the working directory. */
export const unpackAgent = commandLine(["python3", "-c", writeSources]);

const install = [
  "set -e",
  "umask 077",
  `mkdir -p ${AGENT_DIRECTORY}`,
  `cd ${AGENT_DIRECTORY}`,
  "IFS= read -r spec",
  unpackAgent,
].join("\n");

/** Ends when the agent is ready, within so many seconds. */
export function installAndPrepare(tuning: TuningName, seconds: number): string {
  // The deletion of a tuning that is no longer wanted comes last in an update, after the cases.
  const untune = tuning === "none" ? ["(", undoScript, ")"] : [];
  const prepare = `printf '%s' "$spec" | timeout -k 5 ${seconds} python3 agent.py prepare`;
  return [install, ...untune, prepare].join("\n");
}
