/** Refusals of `npm run local` before it makes anything. Real runs: `tests/lab/cli/`. */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { labWorkspace, type StackWorkspace } from "../../../cli/pulumi/workspace.ts";
import { local } from "../../../cli/run/command.ts";
import { asked } from "../../helpers/ran.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();
/** A directory in which nothing may be made. */
const workspace: StackWorkspace = { ...labWorkspace, project: `${directory}/project` };

const run = (...argv: string[]) => asked(local, argv, null, workspace);

describe("npm run local", () => {
  it.each([
    ["compare", "azure"],
    ["aws-compare", "aws"],
  ])("never reaches a cloud: --stack %s is refused, with the intended command", async (stack, cloud) => {
    for (const mode of [[], ["--resume"], ["--down"], ["--yes"]]) {
      const { status, stderr } = await run("--stack", stack, ...mode);
      expect(stderr).toBe(
        `egress-bench local: --stack: expected a stack of cloud "local"; ${stack} is of "${cloud}"; to run it: npm run compare -- --cloud ${cloud} --stack ${stack}\n`,
      );
      expect(status).toBe(2);
    }
    expect(readdirSync(directory)).not.toContain("project");
  });

  it.each(["../compare", "a/b"])("refuses a path as the name of a stack: %j", async (stack) => {
    const { status, stderr } = await run("--stack", stack);
    expect(stderr).toContain(`there is no stacks/Pulumi.${stack}.yaml`);
    expect(status).toBe(2);
  });

  it.each([
    ["a file where a directory should be", "file/results.json"],
    ["a directory where the file should be", "directory"],
    ["a file system that makes no directories", "../../proc/x/y.json"],
  ])("detects before measuring that --out cannot be written: %s", async (_, out) => {
    writeFileSync(`${directory}/file`, "");
    mkdirSync(`${directory}/directory`, { recursive: true });
    const { status, stderr } = await run("--out", `${directory}/${out}`);
    expect(stderr).toContain(`egress-bench local: --out: ${directory}/${out} cannot be written: `);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(2);
  });

  it("refuses a pipe, which would wait for its reader, and a device, which a file would replace", async () => {
    execFileSync("mkfifo", [`${directory}/pipe`]);
    for (const out of [`${directory}/pipe`, "/dev/null"]) {
      const { status, stderr } = await run("--out", out);
      expect(stderr).toBe(
        `egress-bench local: --out: ${out} cannot be written: it is a pipe, a device or a socket, and no regular file; choose another place\n`,
      );
      expect(status).toBe(2);
    }
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("leaves no trace of that check", async () => {
    const { stderr } = await run("--out", `${directory}/new/results.json`);
    expect(stderr).toContain("a run was started");
    expect(readdirSync(`${directory}/new`)).toEqual([]);
  });

  it.each([
    [["--stack", "nowhere"], /--stack: there is no stacks\/Pulumi\.nowhere\.yaml/],
    [["--resume"], /--resume: stack local-compare: there is no interrupted run to resume/],
  ])("%j is refused in one line that says what is wrong", async (argv, message) => {
    const { status, stderr } = await run(...argv);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(2);
  });

  it("refuses to both resume and take down", async () => {
    expect(await run("--resume", "--down")).toMatchObject({ status: 2 });
  });

  it("asks before it measures for hours", async () => {
    const { status, stderr } = await run("--plan", "soak");
    expect(stderr).toMatch(/it measures for .* h .*: nothing was changed; agree with --yes/);
    expect(status).toBe(2);
  });
});
