/**
 * Code blocks of the documents: shell that can run runs, other shell names scripts, options, stacks and files that there
 * are, YAML passes the schemas. TypeScript is compiled by tests/release/types.test.ts. Not proved: that commands which
 * need a cloud, the internet or another machine do there what the documents say.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../cli/commands.ts";
import { contribute } from "../../cli/contribute/command.ts";
import { helpOf } from "../../cli/program.ts";
import { report } from "../../cli/report/command.ts";
import type { AdviseIo } from "../../packages/advise/cli/arguments.ts";
import { adviseCommand } from "../../packages/advise/cli/command.ts";
import { allBlocks, commandsOf } from "../helpers/doc-blocks.ts";
import { awsLog, minuteOfTraffic } from "../helpers/flow-logs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const of = (language: string) => allBlocks.filter((block) => block.language === language);
const shell = of("sh");
/** Blocks that run in other tests, or cannot run in any. */
const elsewhere = ["pulumi", "cloud", "network", "lab", "machine"];
const runnable = shell.filter(({ words }) => words[0] === "run");

test("every block is marked", () => {
  const known: Record<string, readonly string[]> = {
    sh: ["run", ...elsewhere],
    yaml: ["azure", "aws", "hosts", "program"],
    go: ["program"],
    python: ["program"],
    ts: ["azure", "aws", "local", "test"],
    // tests/unit/cli/history.test.ts runs them on a store.
    sql: [],
    text: [],
  };
  const odd = allBlocks.filter(
    ({ language, words }) =>
      !(language in known) ||
      (language === "sh" && words.length !== 1) ||
      (language !== "text" && words.some((word) => !known[language]?.includes(word))),
  );
  expect(odd.map(({ place, language, words }) => `${place}: ${language} ${words.join(" ")}`)).toEqual([]);
});

/** The text with a script's options; "" for a script without. */
function usageOf(script: string): string {
  const rooms: Record<string, string> = {
    setup: "setup",
    test: "tests",
    bench: "tests/bench",
    guest: "tests/guest",
  };
  if (script in commands) return helpOf(commands[script as keyof typeof commands]);
  const usage = join(root, rooms[script] ?? "none", "usage.txt");
  return existsSync(usage) ? readFileSync(usage, "utf8") : "";
}

const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;

/** Mistakes of a command that are visible without running it. */
function complaints(command: string): string[] {
  const found: string[] = [];
  const [, , script = "", rest = ""] =
    /^npm (run |run --silent |run -s )?(test|[\w-]+)(.*)$/.exec(command.split(/&&|\|/)[0]?.trim() ?? "") ??
    [];
  if (/^npm (run|test)/.test(command)) {
    if (!(script in scripts)) return [`there is no npm script ${script}`];
    const usage = usageOf(script);
    for (const [option] of rest
      .split(" -- ")
      .slice(1)
      .join(" ")
      .matchAll(/(?<=\s|^)--[a-z-]+/g)) {
      if (usage !== "" && !usage.includes(option)) found.push(`npm run ${script} has no ${option}`);
    }
    const [, benchmark = ""] = /^ -- ([a-z-]+)/.exec(rest) ?? [];
    if (script === "bench" && benchmark !== "" && !usage.includes(`\n  ${benchmark} `))
      found.push(`no benchmark ${benchmark}`);
  }
  for (const [, stack = ""] of command.matchAll(/(?:--stack|stack init|stack rm) ([a-z][a-z-]*)/g)) {
    if (stack !== "mine" && !existsSync(join(root, `stacks/Pulumi.${stack}.yaml`)))
      found.push(`there is no stack ${stack}`);
  }
  for (const [, file = ""] of command.matchAll(/(?:^|[\s@/])((?:setup|docs|stacks|tests)\/[\w./-]+)/g)) {
    if (!existsSync(join(root, file))) found.push(`there is no file ${file}`);
  }
  return found;
}

describe("shell", () => {
  test.each(shell.map((block) => [block.place, block] as const))("%s is sound", (_, block) => {
    // A placeholder such as <name> is no redirection.
    const text = block.text.replaceAll(/<([a-z]+)>/g, "$1");
    const { stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(commandsOf(block).flatMap(complaints)).toEqual([]);
  });

  test("with a missing name is found", () => {
    expect(complaints("npm run compare -- --cluod azure")).toEqual(["npm run compare has no --cluod"]);
    expect(complaints("npm run comparison")).toEqual(["there is no npm script comparison"]);
    expect(complaints("pulumi up --stack nat-gatewey")).toEqual(["there is no stack nat-gatewey"]);
    expect(complaints("npm run bench -- natt")).toEqual(["no benchmark natt"]);
  });
});

describe("shell that runs", () => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-blocks-"));
  beforeAll(() => {
    mkdirSync(join(directory, "out"));
    const results = join(root, "tests/fixtures/results/small-run.json");
    const once = JSON.parse(readFileSync(results, "utf8"));
    // The gate judges no fewer than three runs, which would fail it.
    const ofDay = (day: number) =>
      once.cases.map((one: object) => ({ ...one, startedAt: `2026-11-0${day}T09:00:00Z` }));
    const thrice = JSON.stringify({ ...once, cases: [1, 2, 3].flatMap(ofDay) });
    for (const name of ["a.json", "b.json", "old.json", "out/results.json"])
      writeFileSync(join(directory, name), thrice);
    mkdirSync(join(directory, "logs"));
    writeFileSync(join(directory, "logs/a.log"), awsLog([minuteOfTraffic]));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const inProcess: Readonly<
    Record<string, (argv: readonly string[], io: AdviseIo) => number | Promise<number>>
  > = { advise: adviseCommand, contribute, report };
  const asProcess = (script: string, argv: readonly string[]) => {
    const program = [join(root, "cli/main.ts"), ...script.replace("nat-", "nat ").split(" "), ...argv];
    const { status, stderr } = spawnSync(process.execPath, program, { cwd: directory, encoding: "utf8" });
    return { status, stderr };
  };
  const here = async (script: string, argv: readonly string[]) => {
    const errors: string[] = [];
    const stderr = { write: (text: string) => errors.push(text) };
    const { signal } = new AbortController();
    const io = { stdout: { write: () => true }, stderr, directory, stackFiles: directory, signal };
    const status = await inProcess[script]?.(argv, { ...io, now: new Date() });
    return { status, stderr: errors.join("") };
  };
  /** Scripts that ran as a process; the report's runs as one in tests/engine/cli/. */
  const started = new Set(["report"]);

  // Without set-up, in a directory with what the documents suppose: `npm run x -- y` is `egress-bench x y`.
  test.each(runnable.flatMap((block) => commandsOf(block).map((command) => [block.place, command] as const)))(
    "%s: %s",
    async (_, command) => {
      const [, script = "", words = ""] =
        /^npm run (?:--silent )?(\w+)(?: -- ([\w./%, -]+))?$/.exec(command) ?? [];
      expect(inProcess, command).toHaveProperty(script);
      const { status, stderr } = await (started.has(script) ? here : asProcess)(
        script,
        words.split(" ").filter((word) => word !== ""),
      );
      started.add(script);
      expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    },
    120_000,
  );
});

test("it leaves nothing in the checkout", () => {
  expect(execFileSync("git", ["status", "--porcelain", "out"], { cwd: root, encoding: "utf8" })).toBe("");
});
