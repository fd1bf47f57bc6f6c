/** The agent's command line and its help. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AgentHost, agentHost } from "../helpers/agent-host.ts";

let server: AgentHost;
beforeAll(async () => {
  server = await agentHost("server");
});
afterAll(() => server.dispose());

it.each([
  [[], "connect, probe, sink, https, counter), got nothing"],
  [["dance"], "got dance"],
  [["run", "--fast"], "--fast: expected no argument"],
])("refuses %j", async (args, message) => {
  const outcome = await server.call(args);
  expect(outcome.status).toBe(2);
  expect(outcome.stderr).toContain(message);
});

it.each(["prepare", "run", "connect", "stop", "serve", "keep", "sink"])("explains %s", async (name) => {
  const { status, stdout } = await server.call([name, "--help"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^usage: agent\\.py ${name}`));
});
