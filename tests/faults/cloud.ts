/**
 * What a cloud refuses or takes away, by the real engine and stand-ins of both clouds and of the command plugin: machines of a
 * cloud, and what runs on them, are not there. What a person sees, what is left and how it goes on is real.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { type AwsEngine, createAwsEngine } from "../helpers/aws-standin/engine.ts";
import { madeWith } from "../helpers/aws-standin/fake-machines.ts";
import { createAzureEngine } from "../helpers/azure-native-standin/engine.ts";
import { observe } from "../helpers/engine-events.ts";
import type { CloudRow } from "./cloud-rows.ts";
import type { Outcome } from "./fault.ts";

/** What a row asks of an engine and its cloud. */
interface CloudEngine extends Pick<AwsEngine, "setFault" | "resources" | "dispose"> {
  /** The stack of one client behind a NAT instance, with its benchmark. */
  open(configuration: Record<string, unknown>): Promise<Stack>;
  ids(): string[];
  /** Takes a machine away. */
  evict(name: string): void;
}

const clouds: Record<CloudRow["cloud"], () => CloudEngine> = {
  aws: () => {
    const engine = createAwsEngine();
    return {
      ...engine,
      open: (configuration) => engine.wholeStack("aws-nat-instance", configuration),
      ids: () => {
        const { resources } = engine.cloud();
        const own = new Set(Object.values(resources).map(madeWith));
        return Object.keys(resources).filter((id) => !own.has(id));
      },
      evict: (name) =>
        engine.changeCloud(({ resources }) => {
          for (const one of Object.values(resources)) {
            if (one.kind === "Instance" && (one.inputs.tags as Record<string, string>).Name === name) {
              delete resources[one.id];
              delete resources[String(madeWith(one))];
            }
          }
        }),
    };
  },
  azure: () => {
    const engine = createAzureEngine();
    return {
      ...engine,
      open: (configuration) => engine.stack("nat-instance", "whole", configuration),
      ids: () => Object.keys(engine.cloud().resources),
      evict: () => {
        throw new Error("The stand-in of Azure cannot refresh.");
      },
    };
  },
};

const plan = {
  name: "faults",
  cases: ["first", "victim", "last"].map((id) => ({ id, tool: "iperf3", durationSeconds: 1 })),
};

/** Makes a fault on a cloud of its own, looks at what comes of it, goes on, and destroys. */
export async function tryCloudRow({ cloud, fault, evicts, says, goOn }: CloudRow): Promise<Outcome> {
  const engine = clouds[cloud]();
  try {
    const stack = await engine.open({ "egress-bench:plan": plan });
    engine.setFault(fault);
    const broken = await observe((onEvent) => stack.up({ onEvent }));
    const lines = broken.failureText.split("\n").map((line) => line.trim());
    const saw = lines.find((line) => says.test(line));
    const left = await untracked(engine, stack);
    const kept = await idsOf(engine, stack);
    if (evicts !== undefined) {
      engine.evict(evicts);
    }
    engine.setFault(undefined);
    const going = await observe((onEvent) => stack.up({ onEvent, refresh: goOn !== undefined }));
    const after = await idsOf(engine, stack);
    const again = plan.cases
      .map(({ id }) => `nat-instance:${id}`)
      .filter((step) => [...kept.keys()].some((urn) => urn.endsWith(`::${step}`)))
      .filter((step) => going.steps(step).some((op) => /create|update|replace/.test(op)));
    const missing = plan.cases.filter(({ id }) => ![...after.keys()].some((urn) => urn.endsWith(`:${id}`)));
    await stack.destroy();
    const remains = engine.ids();
    return {
      saw: (saw ?? broken.failureText.slice(-600)).slice(0, 300),
      exit: broken.failed ? "1" : "0",
      lost: again,
      left: [...left.map((id) => `${id}, which the state does not list`), ...remains],
      goOn: goOn ?? "pulumi up",
      wrong: [
        ...(saw === undefined ? [`no message matches ${says}`] : []),
        ...(broken.failed ? [] : ["the update succeeded"]),
        ...again.map((urn) => `measured twice: ${urn}`),
        ...(going.failed ? [`the next update failed: ${going.failureText.slice(-600)}`] : []),
        ...missing.map(({ id }) => `not measured in the end: ${id}`),
      ],
    };
  } finally {
    engine.dispose();
  }
}

/** Ids of what the state has, by URN. */
async function idsOf(engine: CloudEngine, stack: Stack): Promise<Map<string, string>> {
  const resources = await engine.resources(stack);
  return new Map(resources.filter(({ custom }) => custom).map(({ urn, id = "" }) => [urn, id]));
}

/** What the cloud has and the state does not: nobody would ever destroy it. */
async function untracked(engine: CloudEngine, stack: Stack): Promise<string[]> {
  const known = new Set((await idsOf(engine, stack)).values());
  return engine.ids().filter((id) => !known.has(id));
}
