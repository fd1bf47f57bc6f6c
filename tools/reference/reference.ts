/** Generates the pages of `docs/reference/`: file name and text of each. */
import { z } from "zod";
import { resultsSchema } from "../../bench/index.ts";
import { planInput } from "../../bench/plan/plan-input.ts";
import { tools } from "../../bench/tools/index.ts";
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
import { presetsTable } from "./presets.ts";
import { stacksPage } from "./stacks.ts";
import { markdownTable } from "./table.ts";
import { unitOf } from "./units.ts";

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
  });
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

/** Every generated file, by its name in `docs/reference/`. */
export function referencePages(): Record<string, string> {
  return {
    "results.md": resultsPage(),
    "results.schema.json": `${JSON.stringify(z.toJSONSchema(resultsSchema), null, 2)}\n`,
    "configuration.md": configurationPage(),
    "plans.md": plansPage(),
    "commands.md": commandsPage(),
    "stacks.md": stacksPage(),
  };
}
