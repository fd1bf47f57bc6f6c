/** Makes the stack that measures a cell. */
import { stringify } from "yaml";
import type { z } from "zod";
import { checkFits, type Plan, pairsOf } from "../../bench/index.ts";
import { said } from "../../bench/said.ts";
import { type CloudName, cloudRecords } from "../../bench/topologies/clouds.ts";
import { isPriced, topologyNamed } from "../../bench/topologies/index.ts";
import { type Problem, problemsOf, problemText, within } from "../../bench/validate.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import {
  existingOptions,
  settingsSchema as hostsSettings,
  loginConflict,
} from "../../stacks/hosts/settings.ts";
import { readPlanFile } from "../../stacks/plan-file.ts";
import { checkRegion, checkSize } from "../known-names.ts";
import { choosePlan, type StackFile, stackFileFrom } from "../pulumi/stack-file.ts";
import { UsageError } from "../usage-error.ts";
import { inventories } from "./cost.ts";
import { describe, type MatrixCell } from "./expand.ts";
import { type CellKeys, cloudKeys, type MatrixFile } from "./matrix-file.ts";

/**
 * The stack of a cell, checked as its deployment would, as far as possible without asking a cloud.
 *
 * @param directory Directory of the matrix file, the base of plan files' names
 * @throws {UsageError} naming the cell and the key
 */
export function stackOf(cell: MatrixCell, { config }: Pick<MatrixFile, "config">, directory: string) {
  const { keys } = cell;
  const cloud = keys.cloud as CloudName;
  const named = (names: Readonly<Partial<Record<keyof CellKeys, string>>>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([key, name]) => {
        const value = keys[key as keyof CellKeys];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const settings = { ...keys.settings, ...named(cloudKeys[cloud].section) };
  const all = {
    ...config,
    ...named(cloudKeys[cloud].config),
    "egress-bench:cloud": cloud,
    "egress-bench:topologies": (keys.topologies ?? []).map((entry) =>
      withNatSize(entry, keys.natSize, cloud),
    ),
    ...(keys.pairs === undefined ? {} : { "egress-bench:pairs": keys.pairs }),
    ...(keys.tuning === undefined ? {} : { "egress-bench:tuning": keys.tuning }),
    ...(Object.keys(settings).length === 0 ? {} : { [`egress-bench:${cloud}`]: settings }),
  };
  try {
    const own = { ...all, "egress-bench:plan": readPlanFile(keys.plan ?? "quick", directory) };
    const plan = choosePlan(stackFileFrom(cell.name, own), {
      duration: keys.duration?.toString(),
      "rate-scale": keys.rateScale?.toString(),
    });
    const whole = { ...own, "egress-bench:plan": plan.input };
    const file = stackFileFrom(cell.name, whole);
    checkStack(keys, file, plan.plan);
    return { file, plan, text: stringify({ config: whole }) };
  } catch (error) {
    throw new UsageError(
      `the cell ${describe(cell)}: ${(error as Error).message.replace(/^preset: /, "plan: ")}`,
    );
  }
}

/** A topology's entry with the cell's NAT instance size, unless it has one or takes none. */
function withNatSize(
  entry: NonNullable<CellKeys["topologies"]>[number],
  natSize: string | undefined,
  cloud: CloudName,
): unknown {
  const { topology, ...options } = typeof entry === "string" ? { topology: entry } : entry;
  const key = cloudKeys[cloud].natSize;
  return natSize === undefined || key === null || topologyNamed(topology)?.nat !== "instance"
    ? entry
    : { topology, [key]: natSize, ...options };
}

const settings: Readonly<Partial<Record<CloudName, z.ZodType>>> = {
  aws: awsSettings,
  azure: azureSettings,
  hosts: hostsSettings,
};

/** @throws {UsageError} naming the key */
function checkStack({ region, zone }: CellKeys, file: StackFile, plan: Plan): void {
  const { cloud } = file;
  const schema = settings[cloud];
  refuse(schema === undefined ? [] : problemsOf(schema, file.settings).map((one) => asCellKey(one, cloud)));
  if (
    zone !== undefined &&
    file.region !== undefined &&
    zonesOfRegions[cloud]?.(file.region, zone) === false
  ) {
    refuse([`zone: expected a zone of ${file.region}, such as ${file.region}a; got "${zone}"`]);
  }
  if (cloudRecords[cloud].isExisting) {
    const own = file.topologies.flatMap(({ options }) => existingOptions.safeParse(options).data ?? []);
    refuse(
      said(
        ...[loginConflict(own)].filter((one) => one !== null),
        ...file.topologies.flatMap(({ topology, options }) =>
          problemsOf(existingOptions, options).map((one) =>
            problemText(within(`topologies.${topology}`, one)),
          ),
        ),
        file.pairs > 1 &&
          `pairs: ${cloudRecords.hosts.title} are measured one client and one server at a time; leave it out`,
      ),
    );
  }
  const needed = Math.max(1, ...plan.cases.map(pairsOf));
  checkFits(
    plan,
    file.topologies.map(() => file.pairs),
    `set pairs to ${needed}`,
  );
  if (isPriced(cloud)) {
    if (region !== undefined) {
      checkRegion("region", cloud, region);
    }
    for (const size of new Set(inventories[cloud](file, plan).hosts.map((host) => host.size))) {
      checkSize("", cloud, size);
    }
  }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new UsageError(problems.join("; "));
  }
}

/** A problem of the cloud's section in terms of the cell's keys, which set parts of it. */
function asCellKey({ path, reason }: Problem, cloud: CloudName): string {
  const own = Object.entries(cloudKeys[cloud].section).find(([, name]) => name === path);
  return problemText(own === undefined ? within("settings", { path, reason }) : { path: own[0], reason });
}

/**
 * Whether a zone belongs to a region, where names show it. AWS's zones append a letter to their region's name; local zones
 * have a place and a number in between.
 */
const zonesOfRegions: Readonly<Partial<Record<CloudName, (region: string, zone: string) => boolean>>> = {
  aws: (region, zone) =>
    zone.startsWith(region) && /^([a-z]|-[a-z0-9-]+[a-z])$/.test(zone.slice(region.length)),
};
