/**
 * `--help` is complete: its options are exactly the accepted ones, wrong ones end with 2 and a line that names them, in
 * lines that fit a terminal. Of set-up, benchmarks, tests and the agent: tests/programs/.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { choose } from "../../../cli/choose/command.ts";
import { commands as declared } from "../../../cli/commands.ts";
import { contribute } from "../../../cli/contribute/command.ts";
import { natImage } from "../../../cli/nat-image/command.ts";
import { natScript } from "../../../cli/nat-script/command.ts";
import { type DeclaredOption, helpOf } from "../../../cli/program.ts";
import { cloudWorkspace, labWorkspace } from "../../../cli/pulumi/workspace.ts";
import { report } from "../../../cli/report/command.ts";
import type { CommandIo } from "../../../cli/run/campaign.ts";
import { compare, local } from "../../../cli/run/command.ts";
import { adviseCommand as advise } from "../../../packages/advise/cli/command.ts";
import { history } from "../../../packages/history/cli/command.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const nat = { "nat-image": natImage, "nat-script": natScript };
const commands = { advise, choose, compare, contribute, history, local, ...nat, report };
type CommandName = keyof typeof commands;
const names = Object.keys(commands) as CommandName[];

/** Runs a command in an empty directory, without a person to ask. */
async function run(name: CommandName, argv: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  const into = (stream: keyof typeof said) => ({
    write: (text: string) => {
      said[stream] += text;
    },
  });
  const io = {
    stdout: into("stdout"),
    stderr: into("stderr"),
    directory: tmpdir(),
    stackFiles: tmpdir(),
    signal: new AbortController().signal,
    now: new Date(),
    ask: null,
    onInterrupt: () => {
      throw new Error("a run was started");
    },
    workspaces: { azure: cloudWorkspace, aws: cloudWorkspace, local: labWorkspace },
  };
  const command = commands[name] as (argv: readonly string[], io: CommandIo) => number | Promise<number>;
  return { status: await command(argv, io as unknown as CommandIo), ...said };
}

/** A valid value for an option of any kind. */
const samples: Readonly<Record<string, string>> = {
  "--cloud": "local",
  "--now": "nat-instance",
  "--region": "us-east-1",
  "--sql": "athena",
  "--tolerance": "5%",
  "--limit": "1G",
  "--export": "bencher",
  "--prices": "snapshot",
  "--format": "version srcaddr dstaddr bytes start end",
};
const cases = names.flatMap((name) =>
  Object.entries<DeclaredOption>(declared[name].options).map(
    ([option, { value = null }]) => [name, `--${option}`, value] as const,
  ),
);

describe("each option of --help", () => {
  test.each(cases)("npm run %s: %s is taken", async (name, option, value) => {
    const { status, stderr } = await run(name, [
      option,
      ...(value === null ? [] : [samples[option] ?? "2"]),
      "--help",
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each(cases)(
    "npm run %s: %s, without its value or with one too many, ends with 2",
    async (name, option, value) => {
      const wrong = value === null ? `${option}=x` : option;
      const { status, stdout, stderr } = await run(name, [wrong]);
      expect(stderr).toMatch(
        new RegExp(`^egress-bench ${declared[name].name}: .*${option.replace(/^--(no-)?/, "")}.*\n`),
      );
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    },
  );

  test.each(names)("npm run %s: an unknown one ends with 2 and is named", async (name) => {
    const { status, stderr } = await run(name, ["--nonsense"]);
    expect(stderr).toContain("--nonsense");
    expect(status).toBe(2);
  });
});

test("no help text has a line over 80 columns", () => {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "*usage.txt"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).trim().split("\n");
  const texts = files.map((file) => [file, readFileSync(root + file, "utf8")] as const);
  expect(texts.length).toBeGreaterThanOrEqual(4);
  const all = [...texts, ...names.map((name) => [name, helpOf(declared[name])] as const)];
  const long = all.flatMap(([file, text]) =>
    text
      .split("\n")
      .filter((line) => line.length > 80)
      .map((line) => `${file}: ${line}`),
  );
  expect(long).toEqual([]);
});
