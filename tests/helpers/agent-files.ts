/** The host agent on a lab host that no stack prepared. */
import { AGENT_DIRECTORY } from "../../agent/protocol.ts";
import { unpackAgent } from "../../components/benchmark/agent-install.ts";
import { packedAgent } from "../../components/benchmark/agent-sources.ts";

/** Shell that puts the agent below a home directory, as a stack does. */
export function installAgent(home: string): string {
  const { bytes, digest } = packedAgent();
  const directory = `${home}/${AGENT_DIRECTORY}`;
  return [
    `mkdir -p ${directory} && cd ${directory}`,
    "base64 -d > ../agent.gz <<'END_OF_SOURCES'",
    bytes.toString("base64"),
    "END_OF_SOURCES",
    unpackAgent("../agent.gz", digest),
  ].join("\n");
}
