/**
 * Random demands, answered by the program and by a model of the clouds' published rules in another language.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import aws from "../../../bench/machines/aws.json" with { type: "json" };
import { machines } from "../../../bench/machines/index.ts";
import { pricedIn } from "../../../report/choice/answer.ts";
import type { Way } from "../../../report/choice/assess.ts";
import { natMachine } from "../../../report/choice/machines.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { candidateData } from "../../../report/choice/ways.ts";
import { findPrice, pricedRules, priceSnapshots } from "../../../report/index.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";
import { nothing } from "../../unit/report/ways.ts";

const DEMANDS = 2000;
/** GB a month of the sweep, four fifths of it received. */
export const SWEEP = [
  0, 1, 10, 50, 100, 200, 500, 1e3, 2e3, 5e3, 8e3, 1e4, 2e4, 3e4, 5e4, 8e4, 1e5, 2e5, 3e5, 5e5, 8e5, 1e6,
] as const;
const clouds = ["aws", "azure"] as const;
type Cloud = (typeof clouds)[number];
const regions = { aws: "us-east-1", azure: "eastus" } as const;
const measurable = {
  aws: ["t2.micro", "t4g.nano", "t4g.small", "c7gn.medium", "m7g.xlarge", "c7g.8xlarge"],
  azure: ["Standard_B2ats_v2", "Standard_B2als_v2", "Standard_D8ls_v5"],
};

const data = Object.fromEntries(
  clouds.map((cloud) => [
    cloud,
    candidateData(cloud, regions[cloud], { books: priceSnapshots, natSize: undefined }),
  ]),
) as Record<Cloud, ReturnType<typeof candidateData>>;

/** Prints the demands with different answers; the last line counts them. */
export async function answers(seed = 27): Promise<string[]> {
  const random = randomFrom(seed);
  const swept = clouds.flatMap((cloud) =>
    SWEEP.map((gb) => caseOf(cloud, null, { ...defaultNeeds, gbIn: gb * 0.8, gbOut: gb * 0.2 })),
  );
  const cases = [...swept, ...Array.from({ length: DEMANDS }, () => oneCase(random))];
  const steady = machines.azure.filter(({ burstable }) => !burstable);
  const azureSizes = Object.fromEntries(
    steady.map(({ size, vcpus, network }) => [
      size,
      [vcpus, network.baselineBitsPerSecond, network.peakBitsPerSecond],
    ]),
  );
  const input = JSON.stringify({ sizes: aws.machines, azureSizes, prices: pricesOf(), cases });
  const model = fileURLToPath(new URL("model.py", import.meta.url));
  const { stdout, stderr, status } = spawnSync("python3", [model], { input, encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`the model ended with ${status}: ${stderr}`);
  }
  return stdout.trimEnd().split("\n");
}

function pricesOf(): Record<Cloud, Record<string, number>> {
  const of = (cloud: Cloud) =>
    machines[cloud].flatMap(({ size }) => {
      const price = findPrice(priceSnapshots[cloud], `vm-hour:${size}`, regions[cloud]);
      return price === null ? [] : [[size, price.tiers[0]?.price ?? 0] as const];
    });
  return { aws: Object.fromEntries(of("aws")), azure: Object.fromEntries(of("azure")) };
}

function oneCase(random: () => number) {
  const between = (least: number, most: number) => least * (most / least) ** random();
  const maybe = <T>(value: T) => (random() < 0.5 ? value : null);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const cloud = pick(clouds);
  const measured = maybe({ size: pick(measurable[cloud]), rate: between(1e7, 20e9) });
  const needs: Needs = {
    ...defaultNeeds,
    gbIn: between(0.1, 1e6),
    gbOut: between(0.1, 1e6),
    peakBitsPerSecond: maybe(between(1e6, 120e9)),
    connections: maybe(Math.floor(between(1, 2e6))),
    machines: 1 + Math.floor(random() * 200),
    zones: 1 + Math.floor(random() * 3),
    idleSeconds: maybe(Math.floor(between(1, 10_000))),
    noSinglePoint: random() < 0.2,
    newConnectionsPerSecond: maybe(between(1, 1e6)),
    seen: {
      busyBitsPerSecond: random() < 0.5 ? 0 : between(1e6, 20e9),
      flows: maybe(Math.floor(between(1, 4e6))),
      ...(random() < 0.5 ? {} : { bytesAPacket: between(60, 1500) }),
    },
  };
  return caseOf(cloud, measured, needs);
}

function caseOf(cloud: Cloud, measured: { size: string; rate: number } | null, needs: Needs) {
  const { ways, ...rest } = data[cloud];
  const own = measured === null ? [] : [measuredWay(cloud, measured)];
  // The larger size proposed beside a measured one is tested by the cases without a measured one.
  const others = ways.filter(({ topology }) => measured === null || topology !== "nat-instance");
  const { assessed, pick: picked } = pricedIn({ ...rest, ways: [...own, ...others] }, needs);
  return {
    ...{ cloud, measured, gbIn: needs.gbIn, gbOut: needs.gbOut, peak: needs.peakBitsPerSecond },
    ...{ connections: needs.connections, machines: needs.machines, zones: needs.zones },
    ...{
      idle: needs.idleSeconds,
      noSinglePoint: needs.noSinglePoint,
      opened: needs.newConnectionsPerSecond,
      busy: needs.seen?.busyBitsPerSecond ?? 0,
      flows: needs.seen?.flows ?? 0,
      packet: needs.seen?.bytesAPacket ?? null,
    },
    said: {
      pick: picked?.id ?? null,
      usd: picked?.totalCost ?? null,
      ways: Object.fromEntries(
        assessed.map(({ way, status, need, totalCost }) => [
          way.kind ?? way.topology,
          { status, addresses: need?.addresses, gateways: need?.gateways, usd: totalCost },
        ]),
      ),
    },
  };
}

function measuredWay(cloud: Cloud, { size, rate }: { size: string; rate: number }): Way {
  const [region, topology] = [regions[cloud], "nat-instance"] as const;
  const rules = pricedRules({ topology, cloud, region, natSize: size }, priceSnapshots[cloud]) ?? [];
  return {
    ...{ id: "nat-instance", column: 0, look: 0, topology, out: topology, kind: null, cloud, region },
    machine: natMachine(size, [region], priceSnapshots[cloud]),
    ...{ machines: [], term: null, addresses: 1, rules: { [region]: rules } },
    evidence: { ...nothing, bitsPerSecond: rate },
  };
}
