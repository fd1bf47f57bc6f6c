/** The ready-made stacks of a cloud, as tests deploy them. */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Plan, parsePlan } from "../../bench/index.ts";

/** A circuit of somebody else's. */
export const circuitId =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/lines/providers/Microsoft.Network/expressRouteCircuits/line";

type Entry = Record<string, unknown> & { readonly topology: string };

export interface ReadyMade {
  readonly name: string;
  readonly text: string;
  readonly region: string;
  /** With a circuit where the file leaves it to its user. */
  readonly topologies: readonly Entry[];
  readonly settings: Record<string, unknown>;
  readonly plan: Plan;
}

export function stackFiles(cloud: "aws" | "azure"): ReadyMade[] {
  return readdirSync("stacks").flatMap((file) => {
    const name = /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1];
    const text = name === undefined ? "config: {}" : readFileSync(`stacks/${file}`, "utf8");
    const { config } = parse(text);
    if (name === undefined || config["egress-bench:cloud"] !== cloud) {
      return [];
    }
    const entries: readonly (string | Entry)[] = config["egress-bench:topologies"];
    const topologies = entries
      .map((entry) => (typeof entry === "string" ? { topology: entry } : entry))
      .map((entry) => (entry.topology === "expressroute" ? { ...entry, circuitId } : entry));
    const settings = config[`egress-bench:${cloud}`] ?? {};
    const plan = parsePlan(config["egress-bench:plan"]);
    return [{ name, text, region: config["aws:region"], topologies, settings, plan }];
  });
}

export const stackFile = (cloud: "aws" | "azure", name: string) =>
  stackFiles(cloud).find((file) => file.name === name) as ReadyMade;
