/** Parts that a lab's host starts with: its namespaces, the agent's package, and its own link. */
import { AGENT_PACKAGE, packedAgent } from "../../benchmark/agent-sources.ts";
import { runInHost } from "./enter.ts";
import { endHost, type HostSpec, type StartedHost, startHost } from "./hosts.ts";
import { type LinkSpec, makeLink } from "./links.ts";
import { findHost } from "./living-hosts.ts";

export interface HostUpSpec extends HostSpec {
  /** Digest of the agent, whose package is put into root's home. @default no agent */
  readonly agent?: string;
  /** Link, remade each time. `peer` is the other host's generation. @default none */
  readonly link?: Omit<LinkSpec, "lab"> & { readonly peer: string };
}

/** Makes a host or repairs the rest of one. A new host that fails is ended, because no state would know it. */
export async function hostUp({ agent, link, ...spec }: HostUpSpec): Promise<StartedHost> {
  const wasThere = findHost(spec.lab, spec.host)?.generation === spec.generation;
  const started = await startHost(spec);
  try {
    if (agent !== undefined) {
      const text = packedAgent().bytes.toString("base64");
      const at = `/root/${AGENT_PACKAGE}`;
      runInHost(spec.lab, spec.host, `base64 -d >${at}.new <<'end' && mv ${at}.new ${at}\n${text}\nend\n`);
    }
    if (link !== undefined) {
      makeLink({ lab: spec.lab, ends: link.ends, shape: link.shape });
    }
  } catch (error) {
    if (!wasThere) {
      await endHost(started);
    }
    throw error;
  }
  return started;
}
