/** Directory on every host, relative to the SSH user's home, where agent, secret and raw output are kept. */
export const AGENT_DIRECTORY = ".egress-bench";
