/** Installs the host agent on a lab host that no stack prepared. */
import { commandLine } from "../../bench/index.ts";
import { AGENT_PACKAGE, packedAgent } from "../../components/benchmark/agent-sources.ts";

/** Shell that puts the agent below a home directory, as a stack does. */
export function installAgent(home: string): string {
  const { bytes, digest } = packedAgent();
  return [
    `mkdir -p ${home} && cd ${home}`,
    `base64 -d > ${AGENT_PACKAGE} <<'END_OF_SOURCES'`,
    bytes.toString("base64"),
    "END_OF_SOURCES",
    commandLine(["python3", AGENT_PACKAGE, digest]),
  ].join("\n");
}
