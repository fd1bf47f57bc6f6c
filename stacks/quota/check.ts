/**
 * A preview's look at the account's quotas: what is missing is said before anything is made. It blocks nothing, and what
 * cannot be read is one warning.
 */
import * as pulumi from "@pulumi/pulumi";
import type { PricedCloud } from "../../bench/index.ts";
import {
  type AwsMachineInputs,
  awsDemand,
  awsMachine,
  azureDemand,
  azureProviders,
  type CountedResource,
} from "./demand.ts";
import { shortfalls } from "./shortfall.ts";

/** A resource as it is registered, its size not known yet. */
interface Registered {
  readonly type: string;
  readonly size: pulumi.Input<unknown>;
  readonly region: pulumi.Input<unknown>;
  readonly spot: boolean;
}

/** Notes from now on what the program registers. Returns what it has noted. */
export function noteResources(): readonly Registered[] {
  const noted: Registered[] = [];
  pulumi.runtime.registerStackTransformation(({ type, props }) => {
    if (/^(aws|azure-native):/.test(type)) {
      noted.push(registered(type, props));
    }
    return undefined;
  });
  return noted;
}

function registered(type: string, props: Record<string, pulumi.Input<unknown>>): Registered {
  const hardware = pulumi
    .output(props.hardwareProfile as pulumi.Input<{ readonly vmSize?: string } | undefined>)
    .apply((known) => known?.vmSize);
  return type.startsWith("aws:")
    ? { type, region: null, ...awsMachine(props as AwsMachineInputs<pulumi.Input<unknown>>) }
    : { type, region: props.location, size: hardware, spot: false };
}

/** Says what the account lacks for the resources. Waits for nothing that a preview does not know. */
export function checkQuotas(cloud: PricedCloud, noted: readonly Registered[]): void {
  pulumi
    .output(noted.map(({ size, region, type, spot }) => ({ type, size, region, spot })))
    .apply(async (known) => {
      const resources = known.map(({ type, size, region, spot }) => ({
        type,
        spot,
        size: typeof size === "string" ? size : null,
        region: typeof region === "string" ? region : null,
      }));
      for (const line of await quotaLines(cloud, resources)) {
        await pulumi.log.warn(line);
      }
    });
}

/** Notes on the account's quotas; one line where they cannot be read. */
export async function quotaLines(
  cloud: PricedCloud,
  resources: readonly CountedResource[],
): Promise<string[]> {
  try {
    const lacking = await linesOf[cloud](resources);
    return lacking.length === 0
      ? []
      : [[...lacking.map((line) => `This stack ${line}`), advice(cloud)].join("\n")];
  } catch (error) {
    const reason = (error as Error).message.split(/\s+/).join(" ").trim();
    return [`Whether the account's quotas are enough is not known: they cannot be read (${reason}).`];
  }
}

function advice(cloud: PricedCloud): string {
  return `Ask for more, take away topologies, or take small machines: pulumi config set --path 'egress-bench:${cloud}.size' small (docs/quotas/${cloud}.md)`;
}

async function azureLines(resources: readonly CountedResource[]): Promise<string[]> {
  const { azureLogin, azureQuotas, unregistered } = await import("./azure.ts");
  const demands = azureDemand(resources);
  const regions = [...new Set(demands.flatMap(({ region }) => region ?? []))];
  const login = await azureLogin();
  const [quotas, missing] = await Promise.all([
    azureQuotas(login, regions),
    unregistered(login, azureProviders(resources)),
  ]);
  return [
    ...shortfalls(demands, quotas),
    ...missing.map(
      (name) => `needs ${name}, which the subscription has not registered: az provider register -n ${name}`,
    ),
  ];
}

async function awsLines(resources: readonly CountedResource[]): Promise<string[]> {
  const { awsQuotas } = await import("./aws.ts");
  const demands = awsDemand(resources);
  return shortfalls(demands, await awsQuotas([...new Set(demands.map(({ quota }) => quota))]));
}

const linesOf = { azure: azureLines, aws: awsLines } as const satisfies Record<PricedCloud, unknown>;
