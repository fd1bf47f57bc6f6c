/** Generates the pages of `docs/reference/`: file name and text of each. */

import { readdirSync } from "node:fs";
import { z } from "zod";
import { counts } from "../../bench/figures/counted-by.ts";
import { figures } from "../../bench/figures/index.ts";
import { cloudNames, cloudRecords, isPriced, parsePlan, resultsSchema } from "../../bench/index.ts";
import type { Plan } from "../../bench/plan/plan.ts";
import { planInput } from "../../bench/plan/plan-input.ts";
import { formatBitRate } from "../../bench/plan/quantities.ts";
import { presets } from "../../bench/presets/index.ts";
import { tools } from "../../bench/tools/index.ts";
import { pricedClouds, topologyNamed } from "../../bench/topologies/index.ts";
import { isNatInstance, limits, type WayOut, type WayOutLimits } from "../../bench/topologies/limits.ts";
import { datedTerms, otherWays } from "../../bench/topologies/other-ways.ts";
import { readStackFile, type StackFile } from "../../cli/pulumi/stack-file.ts";
import { stackCost } from "../../cli/run/cost.ts";
import { duration } from "../../cli/terminal/progress-board.ts";
import { HOURS_PER_MONTH, priceSnapshots } from "../../report/index.ts";
import { settingsSchema as awsSettings } from "../../stacks/aws/settings.ts";
import { aws } from "../../stacks/aws.ts";
import { settingsSchema as azureSettings } from "../../stacks/azure/settings.ts";
import { azure } from "../../stacks/azure.ts";
import type { Cloud } from "../../stacks/cloud.ts";
import { benchSchema, sshSettings } from "../../stacks/config.ts";
import { settingsSchema as hostsSettings } from "../../stacks/hosts/settings.ts";
import { hosts } from "../../stacks/hosts.ts";
import { settingsSchema as labSettings, local } from "../../stacks/local.ts";
import { commandsPage } from "./commands.ts";
import { GENERATED } from "./generated.ts";
import { type Section, sectionsOf, titleOf } from "./json-fields.ts";
import { markdownTable } from "./table.ts";

/** Units by name suffix. */
const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/bitsPerSecond$/i, "bit/s"],
  [/packetsPerSecond$/i, "packets/s"],
  [/perSecond$/i, "1/s"],
  [/perHour$/i, "1/h"],
  [/percent$/i, "%"],
  [/Us$/, "µs"],
  [/Ms$/, "ms"],
  [/seconds$/i, "s"],
  [/minutes$/i, "min"],
  [/bytes$/i, "bytes"],
];

/** Unit of a field, from its name or from the section of latencies; else "". */
function unitOf(section: string, path: string): string {
  const unit = units.find(([ending]) => ending.test(path))?.[1];
  return unit ?? (section === "latency" && !path.includes("samples") ? "µs" : "");
}

const stackFiles = new URL("../../stacks/", import.meta.url);

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

/** The page with the time and cost of every ready-made stack, by the same sums that `compare` shows. */
function stacksPage(): string {
  const names = readdirSync(stackFiles).flatMap((name) => /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1] ?? []);
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

/** Whether a case sends unlimited UDP. */
const floods = ({ cases }: Plan) =>
  cases.some((one) => one.tool === "iperf3" && one.protocol === "udp" && one.bitsPerSecond === 0);

/** Time of a plan on one topology, as `compare` shows it before a run. */
function measuringSeconds(plan: Plan): number {
  return stackCost({ ...readStackFile("local-direct"), plan: plan.name }, plan, null).measuringSeconds;
}

/** The table of presets: what each measures, how often, and how long it takes. */
function presetsTable(): string {
  const rows = Object.keys(presets).map((name) => {
    const plan = parsePlan(name);
    const { least, most } = plan.repeat;
    const times = least === most ? String(least) : `${least} to ${most}`;
    const cases = plan.cases.map(({ id }) => `\`${id}\``).join(", ");
    const flood = floods(plan) ? "yes" : "no";
    return [`\`${name}\``, cases, times, duration(measuringSeconds(plan)), flood];
  });
  return [
    "## Presets",
    "",
    "The time is for one topology without failures, pauses included. *UDP floods*: UDP is sent as fast as the sender can, " +
      "which loses datagrams on a direct path too; compare its loss with `direct` only.",
    "",
    markdownTable(["preset", "cases", "times", "time", "UDP floods"], rows),
  ].join("\n");
}

interface PageArgs {
  readonly title: string;
  readonly intro: string;
  readonly sections: readonly TitledSection[];
  /** Whether a person writes these fields, so that a column says which are optional. */
  readonly written: boolean;
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function table({ name, fields }: TitledSection, written: boolean): string {
  const rows = fields.map(({ path, type, default: fallback, optional, text }) => {
    const what = cell(text);
    const kind = type.replaceAll("|", "\\|");
    const left = fallback === undefined ? (optional ? "may be left out" : "required") : shown(fallback);
    return [`\`${path}\``, kind, written ? cell(left) : unitOf(name, path), what];
  });
  return markdownTable(
    written ? ["key", "type", "default", "what"] : ["field", "type", "unit", "what"],
    rows,
  );
}

/** A default as code, or as plain text if it is a sentence. */
function shown(fallback: string): string {
  const text = fallback.replaceAll(/(?<=\d)_(?=\d)/g, "");
  return /^(["[{][\s\S]*|[\w.-]+)$/.test(text) ? `\`${text}\`` : text;
}

function page({ title, intro, sections: all, written }: PageArgs): string {
  const parts = all.map((section, index) =>
    [
      ...(index === 0 && !written ? [] : [`## ${section.title}`]),
      ...(section.text === "" ? [] : [section.text]),
      table(section, written),
    ].join("\n\n"),
  );
  return `${[`# ${title}`, GENERATED, intro, ...parts].join("\n\n")}\n`;
}

interface TitledSection extends Section {
  readonly title: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A schema's sections, the first under a familiar title. */
function sections(schema: z.ZodType, title: string, io: "input" | "output" = "input"): TitledSection[] {
  return sectionsOf(schema, io).map((section, index) => ({
    ...section,
    title: index === 0 ? title : capital(titleOf(section.name)),
  }));
}

function resultsPage(): string {
  return page({
    title: "Results",
    intro:
      "Every field of the results document, version 1: what `pulumi stack output results` prints and " +
      "`out/results.json` holds. `null` means that a figure was not measured; it is never 0. Units are in the names. " +
      "The same as a JSON Schema: [results.schema.json](results.schema.json). How to read it: [results](../results.md).",
    sections: sections(resultsSchema, "Results", "output"),
    written: false,
  }).concat(`\n## Who counts each figure\n\n${countsTable()}\n`);
}

function countsTable(): string {
  const head = ["tool", "figures", "counted by", "confirmed by", "at most"];
  return markdownTable(
    head,
    counts.map((one) => {
      const names = [...new Set(one.figures.map((id) => figures[id].label))];
      return [one.tool, names.join("; "), one.end, one.confirmedBy, one.bound];
    }),
  );
}

function configurationPage(): string {
  return page({
    title: "Configuration keys",
    intro:
      "Every key of a stack's configuration. How to set them: [configuration](../setup.md#configuration-of-a-stack).",
    sections: [
      ...sections(benchSchema, "Namespace `egress-bench`"),
      ...sections(sshSettings, "Namespace `ssh`"),
      ...sections(azureSettings, "`egress-bench:azure`"),
      ...sections(awsSettings, "`egress-bench:aws`"),
      ...sections(labSettings, "`egress-bench:local`"),
      ...sections(hostsSettings, "`egress-bench:hosts`"),
      ...Object.entries({ azure, aws, local, hosts }).flatMap(([cloud, { topologies }]) =>
        topologyOptions(cloud, topologies),
      ),
    ],
    written: true,
  });
}

/** The options of a topology's entry, if any. */
function topologyOptions(cloud: string, topologies: Cloud["topologies"]): TitledSection[] {
  return Object.entries(topologies).flatMap(([topology, options]) =>
    sections(options, `Options of \`${topology}\`, ${cloud}`),
  );
}

function plansPage(): string {
  const intro =
    "Every key of a plan, and of each tool's cases. *Or a list* makes a sweep: one case for each value, and for each " +
    "combination of lists; other keys take one value. How to write plans: [plans](../plans.md).";
  const keys = page({
    title: "Plan and case keys",
    intro,
    sections: [
      ...sections(planInput, "A plan", "output"),
      ...Object.values(tools).flatMap(({ name, input }) =>
        sections(input, `Cases of \`tool: ${name}\``, "output"),
      ),
    ].filter(({ title }, index, all) => all.findIndex((one) => one.title === title) === index),
    written: true,
  });
  return `${keys}\n${presetsTable()}\n`;
}

/** The catalogue of ways out: what each takes, where it is seen, what it keeps, and from where we know. */
function waysOutPage(): string {
  const head = [
    "way out",
    "connections at once to one destination",
    "addresses",
    "carries",
    "forgets after",
    "seen in",
  ];
  const number = (value: number | null) => value?.toLocaleString("en") ?? "-";
  const rate = (value: number | null) => (value === null ? "-" : formatBitRate(value));
  const parts = pricedClouds.map((cloud) => {
    const own: [string, WayOutLimits][] = Object.entries(limits[cloud]);
    const rows = own.map(([name, one]) => [
      topologyNamed(name)?.title ?? name,
      `${number(one.flowsPerAddressAndDestination)} an address`,
      number(one.addressesPerGateway),
      isNatInstance(name as WayOut) ? "by its machine's size" : rate(one.bitsPerSecond),
      `${number(one.idleSeconds)} s`,
      one.seenIn,
    ]);
    const more = own.map(([name, one]) => [
      topologyNamed(name)?.title ?? name,
      one.keeps,
      one.source,
      one.read,
    ]);
    const others = otherWays[cloud].map((one) => [
      one.title,
      `${usd(one.hour * HOURS_PER_MONTH)} a month, ${one.gb} a GB`,
      rate(one.bitsPerSecond),
      one.notes.join("; "),
      one.source,
      one.read,
    ]);
    return [
      `## ${cloudRecords[cloud].title}`,
      markdownTable([...head], rows),
      markdownTable(["way out", "keeps when a part fails", "source", "read"], more),
      ...(others.length === 0
        ? []
        : [
            "Not built here, and never picked; prices in USD without egress and address:",
            markdownTable(["way out", "price", "carries", "notes", "source", "read"], others),
          ]),
    ].join("\n\n");
  });
  const terms = datedTerms.map(({ what, until, source, read }) => [what, until, source, read]);
  const intro =
    "Every way out that the chooser knows. Addresses are of one gateway or machine, without a kind of its own. A regional NAT gateway of " +
    "AWS has them by zone: 8 is counted on, and up to 32 a zone are reported. Where a kind, a size or a measurement says more, that counts: " +
    "[how it is chosen](../choosing.md).";
  return `${["# Ways out", GENERATED, intro, ...parts, "## What ends", markdownTable(["what", "until", "source", "read"], terms)].join("\n\n")}\n`;
}

/** Every generated file, by its name in `docs/reference/`. */
export function referencePages(): Record<string, string> {
  return {
    "results.md": resultsPage(),
    "results.schema.json": `${JSON.stringify(z.toJSONSchema(resultsSchema), null, 2)}\n`,
    "configuration.md": configurationPage(),
    "plans.md": plansPage(),
    "commands.md": commandsPage(),
    "stacks.md": stacksPage(),
    "ways-out.md": waysOutPage(),
  };
}
