/** A tool under another name is treated by its record: nothing outside the tools' folder knows the names of tools. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Case } from "../../../bench/plan/plan.ts";
import type { Tool } from "../../../bench/tools/tool.ts";

const REGISTRY = "../../../bench/tools/registry.ts";
/** Loaded again with a copy of every tool under a further name. */
let program: Awaited<ReturnType<typeof withCopies>>;

async function withCopies() {
  vi.resetModules();
  vi.doMock(REGISTRY, async (original) => {
    const tools = await original<Record<string, Tool>>();
    const copies = Object.values(tools).map((tool) => [
      `new-${tool.name}`,
      { ...tool, name: `new-${tool.name}` },
    ]);
    return { ...tools, ...Object.fromEntries(copies) };
  });
  return {
    ...(await import("../../../bench/assemble/pairs.ts")),
    ...(await import("../../../bench/assemble/loss-places.ts")),
    ...(await import("./counted-host.ts")),
    ...(await import("../../../bench/assemble/outcome.ts")),
    ...(await import("../../../bench/tools/shared/measurement.ts")),
    hosts: await import("./udp-hosts.ts"),
  };
}

beforeAll(async () => {
  program = await withCopies();
});
afterAll(() => {
  vi.doUnmock(REGISTRY);
  vi.resetModules(); // files of one process share their modules
});

const names = ["the tool", "its copy"] as const;
/** A case of the tool, or of its copy. */
const of = (benchCase: Case, name: (typeof names)[number]) =>
  name === "the tool" ? benchCase : ({ ...benchCase, tool: `new-${benchCase.tool}` } as unknown as Case);

it.each(names)("the egress of %s is read from the hosts' samples", (name) => {
  const { hosts, arrivedSeries, overReceivingTime, nothingMeasured } = program;
  const { caseOf, host, outages, sent, dead, idle } = hosts;
  const counts = [82, 504, 503, 495, 961];
  const short = of(caseOf({ bitrate: "20M", durationSeconds: 5 }), name);
  expect(arrivedSeries(short, [host("server", counts)])).toHaveLength(4);
  const measured = { countedBy: "receiver", durationSeconds: 7.28, bytes: 3_683_712, packetsPerSecond: 349 };
  const late = { ...nothingMeasured, ...measured, bitsPerSecond: 4e6 } as never;
  expect(overReceivingTime(late, short, [host("server", counts, counts)]).durationSeconds).toBeLessThan(5.1);
  const cut = [...idle, ...sent(4), ...dead(4), ...sent(4), ...idle];
  const both = [host("client", [...idle, ...sent(12), ...idle]), host("server", cut)];
  expect(outages(of(caseOf(), name), both)).toMatchObject([{ seconds: 4 }]);
});

it.each(names)("losses of other trials of %s are not the last one's", async (name) => {
  const { parsePlan } = await import("../../../bench/plan/parse-plan.ts");
  const search = { tool: "search", goal: "pdr", maxBitrate: "1G", durationSeconds: 2 };
  const [one] = parsePlan({ cases: [search] }).cases;
  const { counted } = program;
  const hosts = [
    counted("client", { sentDatagrams: 95_000 }),
    counted("server", { arrivedDatagrams: 94_600, receiveBufferErrors: 200 }),
  ];
  const facts = { natDrops: null, sharedCpus: false, hosts, measurement: program.lost(100, 10_000) };
  expect(program.lossPlacesOf(of(one!, name), facts)).toEqual([]);
});
