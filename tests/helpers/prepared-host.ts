import { expect } from "vitest";
import type { Role } from "../../bench/results/index.ts";
import { type AgentHost, agentHost } from "./agent-host.ts";
import { shared } from "./shared.ts";

/** A prepared host that the tests of one file share. */
export function preparedHost(role: Role = "server"): AgentHost {
  const prepared = async () => {
    const host = await agentHost(role);
    expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
    return host;
  };
  return shared(prepared, (host) => host.dispose());
}
