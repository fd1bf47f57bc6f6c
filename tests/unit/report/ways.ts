/** Ways out for the choice's tests, with only the named measurements. */
import type { WayOut } from "../../../bench/topologies/limits.ts";
import type { Way } from "../../../report/choice/assess.ts";
import type { Evidence } from "../../../report/choice/evidence.ts";
import { natMachine } from "../../../report/choice/machines.ts";
import { pricedRules, priceSnapshots } from "../../../report/index.ts";

/** Evidence without any measurement. */
export const nothing: Evidence = {
  bitsPerSecond: null,
  unclearBitsPerSecond: null,
  limitedByEnds: false,
  limitedByConnections: false,
  connectionBitsPerSecond: null,
  udp: [],
  newConnectionsPerSecond: null,
  flowsToOneDestination: null,
  idleSeconds: null,
  idleTimeoutSeconds: null,
  latencyUs: null,
  outageSeconds: null,
  neverRecovered: null,
  failure: null,
};

export function way(topology: string, evidence: Partial<Evidence> | null, id = topology): Way {
  const natSize = topology === "nat-instance" ? "Standard_B2ats_v2" : null;
  const priced = { topology, cloud: "azure", region: "eastus", natSize: natSize ?? "" } as const;
  return {
    ...{
      id,
      column: null,
      look: 0,
      topology,
      cloud: "azure",
      region: "eastus",
      kind: null,
      machine: natSize === null ? null : natMachine(natSize, ["eastus"], priceSnapshots.azure),
      machines: [],
      term: null,
      addresses: 1,
    },
    out: topology === "direct" ? null : (topology as WayOut),
    rules: { eastus: pricedRules(priced, priceSnapshots.azure) ?? [] },
    evidence: evidence === null ? null : { ...nothing, ...evidence },
  };
}
