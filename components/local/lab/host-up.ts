/** All that a lab's host begins with: its namespaces, the agent's package, and its own link. */
import { AGENT_PACKAGE, packedAgent } from "../../benchmark/agent-sources.ts";
import { runInHost } from "./enter.ts";
import { endHost, type HostSpec, type StartedHost, startHost } from "./hosts.ts";
import { type LinkSpec, makeLink } from "./links.ts";
import { findHost } from "./living-hosts.ts";

/** A host, and what it has beside SSH. */
export interface HostUpSpec extends HostSpec {
  /** Changes with the agent, whose package root's home then has. @default no agent */
  readonly agent?: string;
  /** Made anew each time. `peer` is the other host's generation. @default none */
  readonly link?: Omit<LinkSpec, "lab"> & { readonly peer: string };
}

/** Makes a host or repairs what is left of it. One that fails is ended if it was not there: no state would tell of it. */
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
