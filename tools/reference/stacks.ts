/** Generates the page with the time and cost of every ready-made stack, by the same sums that `compare` shows. */
import { readdirSync } from "node:fs";
import { cloudNames, cloudRecords, isPriced, parsePlan } from "../../bench/index.ts";
import { readStackFile, type StackFile } from "../../cli/pulumi/stack-file.ts";
import { stackCost } from "../../cli/run/cost.ts";
import { duration } from "../../cli/terminal/progress-board.ts";
import { priceSnapshots } from "../../report/index.ts";
import { GENERATED } from "./generated.ts";
import { markdownTable } from "./table.ts";

const directory = new URL("../../stacks/", import.meta.url);

const usd = (amount: number) => amount.toFixed(2);

function row(file: StackFile): string[] {
  const plan = parsePlan(file.plan);
  const book = isPriced(file.cloud) ? priceSnapshots[file.cloud] : null;
  const cost = stackCost(file, plan, book);
  const money = book === null ? ["0", "0", "0"] : [cost.hourlyUsd, cost.trafficUsd, cost.totalUsd].map(usd);
  const names = file.topologies.map(({ name }) => `\`${name}\``).join(", ");
  const unknown = cost.missing.length > 0 ? ` (without ${cost.missing.join(", ")})` : "";
  const [hourly = "", traffic = "", total = ""] = money;
  const time = duration(cost.measuringSeconds);
  return [`\`${file.name}\``, names, `\`${plan.name}\``, time, hourly, traffic, `${total}${unknown}`];
}

const HEAD = [
  ...["stack", "topologies", "plan", "measuring"],
  ...["USD an hour", "traffic, USD at most", "whole run, USD at most"],
];

export function stacksPage(): string {
  const names = readdirSync(directory).flatMap((name) => /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1] ?? []);
  const files = names.sort().map((name) => readStackFile(name));
  const parts = cloudNames.map((cloud) =>
    [
      `## ${cloudRecords[cloud].title}`,
      "",
      markdownTable(HEAD, files.filter((file) => file.cloud === cloud).map(row)),
    ].join("\n"),
  );
  const dates = Object.values(priceSnapshots).map(({ cloud, asOf }) => `${cloud} of ${asOf}`);
  const intro =
    `The ready-made stacks. "Measuring" is the time without failures, and without deploying and destroying. Prices are those of the ` +
    `snapshots (${dates.join(", ")}), in their regions; the whole run includes deploying and destroying. ` +
    `[How it is computed](../first-cloud-run.md#money).`;
  return `${["# Stacks", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
