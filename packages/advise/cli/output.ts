/** Writes advice, and the stack that would check it by measuring. */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { plainText } from "../../../bench/index.ts";
import { writeOut } from "../../../cli/terminal/result-files.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import type { Advice } from "../src/advice.ts";
import type { AllAdvice } from "../src/all.ts";
import { toMarkdown, toPage } from "../src/page.ts";
import { stackToRun } from "../src/stack.ts";

/** The clone's own stack files, as named in Pulumi.yaml. */
const OWN = ".egress-bench/stacks";

export type Written = Readonly<Record<"html" | "markdown" | "json", string>>;

/** Advice as JSON, with {@link plainText} names of files, interfaces and gateways. */
export function adviceJson(advice: Advice | AllAdvice): string {
  const plain = (_: string, value: unknown) => (typeof value === "string" ? plainText(value) : value);
  return `${JSON.stringify(advice, plain, 2)}\n`;
}

/**
 * Writes the page, Markdown and JSON.
 *
 * @param mask Undefined: only Markdown is masked, since people paste it elsewhere.
 * @param out Relative to `directory`; created if missing.
 */
export function writeAdvice(
  { advice, masked }: Readonly<Record<"advice" | "masked", Advice | AllAdvice>>,
  mask: boolean | undefined,
  out: string,
  directory: string,
): Written {
  const write = (name: string, content: string) => {
    const shown = join(out, name);
    // Owner-readable only: addresses and volumes are confidential.
    writeOut(resolve(directory, shown), content, shown, 0o600);
    return shown;
  };
  const own = mask === true ? masked : advice;
  return {
    html: write("advice.html", toPage(own)),
    markdown: write("advice.md", toMarkdown(mask === false ? advice : masked)),
    json: write("advice.json", adviceJson(own)),
  };
}

/** Writes a stack file and its plan. @returns their paths */
export function writeStack(advice: Advice, name: string, stackFiles: string): string[] {
  const [stackFile, plan] = stackFilesOf(name);
  const { stack, plan: content } = stackToRun(advice, `${OWN}/${plan}`);
  const comment = `# Written by npm run advise from ${advice.traffic.source}: rates, packet sizes and flows are taken from there.\n`;
  return [
    writeNew(stackFiles, stackFile, `${comment}${stringify(stack)}`),
    writeNew(stackFiles, plan, `${comment}${stringify(content)}`),
  ];
}

function writeNew(directory: string, name: string, content: string): string {
  writeFileSync(resolve(directory, name), content, { flag: "wx" });
  return `${OWN}/${name}`;
}

/** The name, unless a stack file of that name exists. @throws {UsageError} naming the file */
export function assertNewStack(name: string, stackFiles: string): string {
  const old = stackFilesOf(name).find((file) => existsSync(resolve(stackFiles, file)));
  if (old !== undefined) {
    throw new UsageError(`--write-stack: ${OWN}/${old} exists already; choose another name or remove it`);
  }
  return name;
}

const stackFilesOf = (name: string) => [`Pulumi.${name}.yaml`, `${name}.plan.yaml`] as const;
