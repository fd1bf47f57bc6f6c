import { afterAll, beforeAll, expect } from "vitest";
import type { Role } from "../../bench/results/index.ts";
import { type AgentHost, agentHost } from "./agent-host.ts";

/** A prepared host that the tests of one file share: made before the first, and gone after the last. */
export function preparedHost(role: Role = "server"): AgentHost {
  let host: AgentHost | undefined;
  beforeAll(async () => {
    host = await agentHost(role);
    expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
  });
  afterAll(() => host?.dispose());
  return new Proxy({} as AgentHost, {
    get: (_, key) => {
      if (host === undefined) throw new Error("The host is made before the first test, and not before.");
      return Reflect.get(host, key);
    },
  });
}
