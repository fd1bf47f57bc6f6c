/**
 * The pair of `npm run local`, cut off, killed and drained before one observer: no machine says that it is active in a status that was
 * written while traffic had gone to the other one for a while.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { labOf } from "../../cli/pulumi/workspace.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { PairObserver } from "../helpers/pair-observer.ts";
import { found, labWork, MARK, stackFile, start, whatStays } from "./ancestors.ts";
import type { Outcome } from "./fault.ts";

const CUT_SECONDS = 9;
const topology = "nat-instance-ha";
const failover = {
  failure: ["kill", "drain"],
  durationSeconds: 8,
  downSeconds: 3,
  flows: 50,
  intervalMs: 20,
};
const cases = [
  { tool: "connect", durationSeconds: 20 },
  { tool: "failover", ...failover },
];

/** Measures by `npm run local`, and cuts the links of the machine that carries meanwhile. */
export async function tryObservedPair(): Promise<Outcome> {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-observed-`);
  const { args, stack, begun } = labWork(directory, [], { topology, cases });
  const lab = labOf(stack);
  const run = start(["npm", "run", "local", "--", ...args], { [MARK]: directory });
  const observer = new PairObserver(lab);
  const looking = setInterval(() => {
    try {
      observer.look();
    } catch {
      // Hosts come and go at the beginning and at the end.
    }
  }, 50);
  try {
    const cut = await found(() => (begun(run.said()) && observer.carrier()) || undefined, run);
    for (const state of ["down", "up"]) {
      runInHost(lab, `${topology}-switch`, `ip link set nat${cut} ${state}; ip link set out${cut} ${state}`);
      if (state === "down") await delay(CUT_SECONDS * 1000);
    }
    const status = await run.code();
    const { claims, oldest, longest, moves, lies } = observer;
    return {
      saw: `${claims} statuses of "active", read at an age of ${oldest.toFixed(1)} s at most; written beside another carrier for ${longest.toFixed(1)} s at most; the neighbours' tables moved ${moves - 1} times`,
      exit: String(status),
      goOn: "nothing to do",
      wrong: [
        ...(status === 0 ? [] : [`it ended with ${status}: ${run.said().slice(-800)}`]),
        ...(moves > 2 && claims > 20 ? [] : [`too little was seen: ${moves} moves, ${claims} claims`]),
        ...lies.slice(0, 3),
        ...(await whatStays(stack, "observed", directory)),
      ],
    };
  } finally {
    clearInterval(looking);
    rmSync(stackFile(stack), { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}
