/**
 * The generated pages of `docs/reference/`: file name and text of each.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { resultsSchema } from "../../bench/index.ts";
import { tools } from "../../bench/tools/index.ts";
import { aws } from "../../stacks/aws.ts";
import { azure } from "../../stacks/azure.ts";
import type { Cloud } from "../../stacks/cloud.ts";
import { local } from "../../stacks/local.ts";
import { commandsPage } from "./commands.ts";
import { GENERATED } from "./generated.ts";
import { sectionsOf as jsonSections } from "./json-fields.ts";
import { presetsTable } from "./presets.ts";
import { type Section, sectionsOf, titleOf } from "./schema-fields.ts";
import { stacksPage } from "./stacks.ts";
import { unitOf, wordsOf } from "./words.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface PageArgs {
  readonly title: string;
  readonly intro: string;
  readonly sections: readonly TitledSection[];
  /** Whether a field may be left out, which is said in a column. */
  readonly written: boolean;
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function table({ title, name, fields }: TitledSection, written: boolean): string {
  const rows = fields.map(({ path, type, default: fallback, optional, text }) => {
    const what = cell(text === "" ? wordsOf(title, path) : text);
    const kind = type.replaceAll("|", "\\|");
    const left = fallback === undefined ? (optional ? "may be left out" : "required") : shown(fallback);
    return written
      ? `| \`${path}\` | ${kind} | ${cell(left)} | ${what} |`
      : `| \`${path}\` | ${kind} | ${unitOf(name, path)} | ${what} |`;
  });
  const head = written ? "| key | type | default | what |" : "| field | type | unit | what |";
  return [head, "|---|---|---|---|", ...rows].join("\n");
}

/** A default as code, but for one that is a sentence. */
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

/** A schema's sections, the first under a title that a reader knows. */
function sections(file: string, variable: string, title?: string): TitledSection[] {
  return sectionsOf(`${root}${file}`, variable).map((section, index) => ({
    ...section,
    title: (index === 0 ? title : undefined) ?? capital(titleOf(section.name)),
  }));
}

function resultsPage(): string {
  return page({
    title: "Results",
    intro:
      "Every field of the results document, version 1: what `pulumi stack output results` prints and " +
      "`out/results.json` holds. `null` means that a figure was not measured; it is never 0. Units are in the names. " +
      "The same as a JSON Schema: [results.schema.json](results.schema.json). How to read it: [results](../results.md).",
    sections: sections("bench/results/index.ts", "resultsSchema"),
    written: false,
  });
}

function configurationPage(): string {
  return page({
    title: "Configuration keys",
    intro:
      "Every key of a stack's configuration. How to set them: [configuration](../setup.md#configuration-of-a-stack).",
    sections: [
      ...sections("stacks/config.ts", "benchSchema", "Namespace `egress-bench`"),
      ...sections("stacks/config.ts", "sshSchema", "Namespace `ssh`"),
      ...sections("stacks/azure/settings.ts", "settingsSchema", "`egress-bench:azure`"),
      ...sections("stacks/aws/settings.ts", "settingsSchema", "`egress-bench:aws`"),
      ...sections("stacks/local.ts", "settingsSchema", "`egress-bench:local`"),
      ...Object.entries({ azure, aws, local }).flatMap(([cloud, { topologies }]) =>
        topologyOptions(cloud, topologies),
      ),
    ],
    written: true,
  });
}

/** The options that a topology's entry may have, where it has any. */
function topologyOptions(cloud: string, topologies: Cloud["topologies"]): TitledSection[] {
  return Object.entries(topologies).flatMap(([topology, options]) =>
    jsonSections(options, topology, "input").map((section, index) => ({
      ...section,
      title: index === 0 ? `Options of \`${topology}\`, ${cloud}` : capital(section.name),
    })),
  );
}

function plansPage(): string {
  const intro =
    "Every key of a plan, and of a case, a tool. *Or a list* makes a sweep: one case for each value, and for each " +
    "combination of lists; other keys take one value. How to write plans: [plans](../plans.md).";
  const keys = page({
    title: "Plan and case keys",
    intro,
    sections: [
      ...sections("bench/plan/plan-input.ts", "planInput", "A plan"),
      ...Object.keys(tools).flatMap((tool) =>
        sections(`bench/tools/${tool}/plan.ts`, "input", `Cases of \`tool: ${tool}\``),
      ),
    ].filter(
      ({ name }, index, all) => name === "input" || all.findIndex((one) => one.name === name) === index,
    ),
    written: true,
  });
  return `${keys}\n${presetsTable()}\n`;
}

/** Every generated file, by its name in `docs/reference/`. */
export function referencePages(): Record<string, string> {
  return {
    "results.md": resultsPage(),
    "results.schema.json": `${JSON.stringify(z.toJSONSchema(resultsSchema, { io: "output" }), null, 2)}\n`,
    "configuration.md": configurationPage(),
    "plans.md": plansPage(),
    "commands.md": commandsPage(),
    "stacks.md": stacksPage(),
  };
}
