import { AGENT_DIRECTORY } from "../../../agent/directory.ts";

/** The words that start a program of the host agent, from the home directory of the SSH user. */
export function agentProgram(file: string): string[] {
  return ["python3", `${AGENT_DIRECTORY}/${file}`];
}
