/** Ways out for the choice's tests, with only the named measurements. */
import type { WayOut } from "../../../bench/topologies/limits.ts";
import type { Answer, AnswerData } from "../../../report/choice/answer.ts";
import type { Way } from "../../../report/choice/assess.ts";
import type { Evidence } from "../../../report/choice/evidence.ts";
import { natMachine } from "../../../report/choice/machines.ts";
import { candidateData } from "../../../report/choice/ways.ts";
import { type Needs, pricedRules, priceSnapshots } from "../../../report/index.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";
import { reportOf } from "../../helpers/report-of.ts";

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

/** What an answer in Azure's eastus chooses from. */
export const onAzure = (ways: readonly Way[]): AnswerData => ({
  ...{ cloud: "azure", currency: "USD", regions: ["eastus"], compared: [], ways },
});

/** All that a cloud's first region offers, unmeasured. */
export const candidates = (cloud: "aws" | "azure", natSize?: string, books = priceSnapshots) =>
  candidateData(cloud, { aws: "us-east-1", azure: "eastus" }[cloud], { books, natSize });

/** The report's answer beside one measured NAT instance. */
export const measuredAnswer = (
  cloud: "aws" | "azure",
  size: string,
  rates: Parameters<typeof natInstanceResults>[2],
  needs: Partial<Needs>,
) => reportOf(natInstanceResults(cloud, size, rates), { needs }).answers[0] as Answer;

/** The measured NAT instance among an answer's ways out. */
export const theInstance = ({ assessed }: Answer) => assessed.find(({ id }) => id === "nat-instance");
