/**
 * `--help` is complete: its options are exactly the accepted ones, wrong ones end with 2 and a line that names them, and
 * each exit status is tried by a test. Of set-up, benchmarks, tests and the agent: tests/programs/.
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
  "--price-local-as": "aws",
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

/** The test of each exit status: file and title. */
const tried: Readonly<Record<string, Readonly<Record<number, readonly [file: string, title: string]>>>> = {
  advise: {
    0: ["tests/unit/cli/advise.test.ts", "writes a page, Markdown without names, JSON, and a stack"],
    1: ["tests/unit/cli/advise.test.ts", "ends with 1 where a file could not be used"],
    2: ["tests/unit/cli/advise.test.ts", "expect(status).toBe(2)"],
    130: ["tests/unit/cli/advise.test.ts", "ends with 130 when it is interrupted"],
  },
  choose: {
    0: ["tests/unit/cli/choose.test.ts", "writes one page"],
    1: ["tests/unit/cli/choose.test.ts", "ends with 1"],
    2: ["tests/unit/cli/choose.test.ts", "ends with 2"],
  },
  compare: {
    0: ["tests/lab/cli/runs.test.ts", "measures every stack in turn"],
    1: ["tests/engine/cli/compare.test.ts", "expect(status).toBe(1)"],
    2: ["tests/unit/cli/compare.test.ts", "is refused with status 2"],
    3: ["tests/engine/cli/compare.test.ts", "expect(status).toBe(3)"],
    130: ["tests/engine/cli/compare.test.ts", "expect(status).toBe(130)"],
  },
  contribute: {
    0: ["tests/unit/report/library.test.ts", "writes one file a run, of one name however often"],
    1: ["tests/unit/report/library.test.ts", '[["nofile.json"], 1,'],
    2: ["tests/unit/report/library.test.ts", '[["--what"], 2,'],
  },
  history: {
    0: ["tests/unit/cli/history.test.ts", "without a change for the worse ends with 0"],
    1: ["tests/unit/cli/history.test.ts", "refuses an empty store"],
    2: ["tests/unit/cli/history.test.ts", '["--out", "x"], 2,'],
    3: ["tests/unit/cli/history.test.ts", "with --fail-on-worse ends with 3"],
  },
  local: {
    0: ["tests/lab/cli/runs.test.ts", "measures everything, with exit status 0"],
    1: ["tests/lab/cli/runs.test.ts", "expect(code).toBe(1)"],
    2: ["tests/unit/cli/local.test.ts", "expect(status).toBe(2)"],
    3: ["tests/engine/cli/compare.test.ts", "expect(status).toBe(3)"],
    130: ["tests/lab/cli/runs.test.ts", "expect(code).toBe(130)"],
  },
  "nat-image": {
    0: ["tests/unit/cli/nat-image.test.ts", "has nat-script's own text as its configuration"],
    1: ["tests/unit/cli/nat-image.test.ts", "an image that could not be made ends with 1"],
    2: ["tests/unit/cli/nat-image.test.ts", "ends with 2, and nothing is made"],
  },
  "nat-script": {
    0: ["tests/unit/cli/nat-script.test.ts", "prints the set-up that the components give their machines"],
    1: ["tests/unit/cli/nat-script.test.ts", "a file that is not there ends with 1"],
    2: ["tests/unit/cli/nat-script.test.ts", "ends with 2 and says what is right"],
  },
  report: {
    0: ["tests/unit/cli/report.test.ts", "makes three files of out/*.json"],
    1: ["tests/unit/cli/report.test.ts", "does not pass a gate that compared nothing"],
    2: ["tests/unit/cli/report.test.ts", "refuses %s %s, and writes nothing"],
    3: ["tests/unit/cli/report.test.ts", "exits 3 with the rows that got worse"],
    4: ["tests/unit/cli/report.test.ts", "does not pass what it could not judge, unless that is allowed"],
  },
  setup: {
    0: ["tests/programs/setup/setup.test.ts", "sets everything up inside the project"],
    1: ["tests/programs/setup/setup.test.ts", "stops at the part that fails"],
    2: ["tests/programs/setup/setup.test.ts", '["--tset", 2,'],
  },
  "tests/bench": {
    0: ["tests/programs/usage.test.ts", "npm run bench: --help"],
    1: ["tests/engine/setup/audit.test.ts", "expect(bad.isBad).toBe(true)"],
    2: ["tests/programs/usage.test.ts", "npm run bench: %j ends with 2"],
  },
  ...Object.fromEntries(
    ["tests", "tests/guest"].map((room) => [
      room,
      {
        0: ["tests/programs/usage.test.ts", "a selection of passing tests ends with 0"],
        1: ["tests/programs/usage.test.ts", "an empty selection ends with 1"],
        2: ["tests/programs/usage.test.ts", "an option unknown to vitest ends with 2"],
      },
    ]),
  ),
};

describe("each exit status of --help is tried by a test:", () => {
  test.each(Object.keys(tried))("%s", (room) => {
    const help =
      room in declared
        ? helpOf(declared[room as CommandName])
        : readFileSync(`${root}${room}/usage.txt`, "utf8");
    const text = help.split("Exit status:")[1] ?? "";
    const said = [...text.matchAll(/(?:^|;)\s*(\d+)\s/g)].map(([, status]) => Number(status));
    expect(Object.keys(tried[room] ?? {}).map(Number)).toEqual(said);
    for (const [file, title] of Object.values(tried[room] ?? {})) {
      expect(readFileSync(root + file, "utf8"), file).toContain(title);
    }
  });
});
