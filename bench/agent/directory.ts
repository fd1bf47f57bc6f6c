/** Directory on every host for agent, secret and raw output, relative to the SSH user's home. */
export const AGENT_DIRECTORY = ".egress-bench";
