/** Failing output: no command ends before its clean-up, and the exit status reports data lost on a full disk. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { awsLog, minuteOfTraffic } from "../helpers/flow-logs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const results = `${root}tests/fixtures/results/small-run.json`;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "egress-bench-outputs-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("a command with a clean-up, on a terminal", () => {
  const onTerminal = (how: string, ...words: string[]) => {
    const program = [process.execPath, `${root}tests/helpers/outputs/command.ts`, directory, ...words];
    const { stdout, stderr } = spawnSync(
      "python3",
      [`${root}tests/helpers/outputs/closing.py`, how, ...program],
      { encoding: "utf8" },
    );
    const [status, ...said] = stdout.split("\n");
    expect(stderr).toBe("");
    return { status, said: said.join("\n"), isCleanedUp: existsSync(`${directory}/cleaned-up`) };
  };

  test("continues when the terminal is closed", () => {
    expect(onTerminal("close")).toMatchObject({ status: "0", isCleanedUp: true });
  });

  test("continues when the disk under stdout is full, and reports it", () => {
    const { said, ...ended } = onTerminal("stdout", "once");
    expect(ended).toEqual({ status: "1", isCleanedUp: true });
    expect(said).toContain("STILL DEPLOYED");
    expect(said).toContain("stdout was lost: no space left on device\n");
  });

  test("prints its last message on the terminal when the disk under all output is full", () => {
    const { said, ...ended } = onTerminal("stdout and stderr", "once");
    expect(ended).toEqual({ status: "1", isCleanedUp: true });
    expect(said).toContain("STILL DEPLOYED: a stack\nstdout was lost: no space left on device\n");
  });
});

/** Runs a command in the directory, without a terminal. @param words Arguments in shell syntax. */
function run(command: string, words: string, limit = ":") {
  const script = `trap "" XFSZ; ${limit}; "$1" "$2" ${command} ${words}`;
  const args = ["--wait", "bash", "-c", script, "bash", process.execPath, `${root}cli/main.ts`];
  const { status, stdout, stderr } = spawnSync("setsid", args, { encoding: "utf8", cwd: directory });
  return { status, stdout, stderr };
}

describe("npm run report --json", () => {
  const report = (to: string, limit?: string) => run("report", `${results} --json ${to}`, limit);

  test("reports the full disk in one line", () => {
    expect(report(">/dev/full")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^[^\n]*stdout was lost: no space left on device\n$/),
    });
  });

  test("ends with 1 if the disk is full and no output works", () => {
    expect(report(">/dev/full 2>&1")).toEqual({ status: 1, stdout: "", stderr: "" });
  });

  test("notices a file that only took the beginning", () => {
    const blocks = 2000;
    writeFileSync(`${directory}/said.json`, "x".repeat(blocks * 1024 - 100));
    expect(report(">>said.json", `ulimit -f ${blocks}`)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^[^\n]*stdout was lost: file too large\n$/),
    });
    expect(statSync(`${directory}/said.json`).size).toBe(blocks * 1024);
  });
});

describe("a disk that is full under --out", () => {
  const full = "cannot be written: file too large; choose another place\n";

  test("keeps the old page", () => {
    mkdirSync(`${directory}/out`);
    writeFileSync(`${directory}/out/choose.html`, "old");
    const { status, stderr } = run("choose", "", "ulimit -f 8");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `egress-bench choose: --out: out/choose.html ${full}`,
    });
    expect(readdirSync(`${directory}/out`)).toEqual(["choose.html"]);
    expect(readFileSync(`${directory}/out/choose.html`, "utf8")).toBe("old");
  });

  test("leaves no part of a contribution", () => {
    const { status, stderr } = run("contribute", `${results} --out library`, "ulimit -f 1");
    expect(stderr).toContain(full);
    expect(status).toBe(1);
    const left = readdirSync(`${directory}/library`, { recursive: true, withFileTypes: true });
    expect(left.filter((one) => one.isFile())).toEqual([]);
  });
});

describe("terminal control characters do not reach the terminal", () => {
  const title = "\u001b]0;pwn\u0007";
  const csi = "\u009b31m";
  const files = {
    "esc.json": title,
    [`${title}${csi}.json`]: "{}",
    "esc.yaml": `${title}: ${csi}: [`,
    "key.yaml": `"\\e]0;pwn\\a": 1`,
    "logs/a.log": awsLog([minuteOfTraffic]),
    [`logs/${title}${csi}.log`]: awsLog([minuteOfTraffic]),
    [`logs/${csi}.txt`]: "no log",
  };

  test.each([
    ["a file's content", "report", "esc.json"],
    ["a price list", "choose", "--prices esc.json"],
    ["a file's name", "contribute", "--print ./*pwn*.json"],
    ["a file's name as JSON", "report", "--json ./*pwn*.json"],
    [
      "the frame of an error in YAML",
      "nat script",
      "--cloud aws --private-cidrs 10.0.1.0/24 --options esc.yaml",
    ],
    ["a key in YAML", "nat script", "--cloud aws --private-cidrs 10.0.1.0/24 --options key.yaml"],
    ["names of logs", "advise", "logs"],
  ])("from %s", (_, command, words) => {
    mkdirSync(`${directory}/logs`);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const { status, stdout, stderr } = run(command, words);
    expect(status).not.toBe(0);
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(/(?![\n\t])\p{Cc}/u);
  });
});
