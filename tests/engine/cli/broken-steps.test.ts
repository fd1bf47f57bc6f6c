/**
 * Each step of `npm run compare` fails in turn: a call of Pulumi, a full disk under the results or the report, a closed
 * pipe. The deployed resources are always reported. A full disk is /dev/full, written in place of one file. The runs share
 * one process for the program, which compare.test.ts starts for each operation.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { resultsSchema } from "../../../bench/results/index.ts";
import { type CompareRuns, openCompareRuns } from "../../helpers/compare-run.ts";

/** Free bytes of the state's file system, and files of `out/` without space. */
const disk = vi.hoisted(() => ({ free: Number.MAX_SAFE_INTEGER, none: [] as readonly string[] }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const isFull = (file: unknown) =>
    disk.none.some((name) => `/${file}`.replace(/\.\w+\.new$/, "").endsWith(`/out/${name}`));
  return {
    ...real,
    statfsSync: () => ({ bavail: disk.free, bsize: 1 }),
    writeFileSync: (...[file, text, ...rest]: Parameters<typeof real.writeFileSync>) =>
      isFull(file) ? real.writeFileSync("/dev/full", text) : real.writeFileSync(file, text, ...rest),
  };
});

let runs: CompareRuns;
beforeAll(async () => {
  runs = await openCompareRuns(true);
});
afterAll(() => runs.dispose());
beforeEach(async () => {
  disk.free = Number.MAX_SAFE_INTEGER;
  disk.none = [];
  rmSync(`${runs.directory}/out`, { recursive: true, force: true });
  if (runs.isDeployed()) {
    expect((await down()).status).toBe(0);
  }
  expect(runs.isDeployed()).toBe(false);
});

const argv = ["--stack", "direct", "--plan", "rtt", "--duration", "1", "--yes"];
const STILL = /^STILL DEPLOYED \((.+)\): direct, costs about 0\.\d\d USD an hour\.$/m;

/** A `pulumi` whose n-th call ends with status 1. The calls of a whole run: compare.test.ts. */
function failingPulumi(nth: number): Record<string, string> {
  const bin = mkdtempSync(`${runs.directory}/bin-`);
  writeFileSync(
    `${bin}/pulumi`,
    `#!/bin/sh
echo >> ${bin}/calls
[ "$(wc -l < ${bin}/calls)" != ${nth} ] || { echo "error: this call fails" >&2; exit 1; }
PATH=$(echo "$PATH" | cut -d : -f 2-)
exec pulumi "$@"
`,
    { mode: 0o755 },
  );
  return { PATH: `${bin}:${process.env.PATH}` };
}

/** Conditions that hold after any failure. */
function expectHonest({ status, stderr }: { status: number; stderr: string }): void {
  expect(STILL.test(stderr), stderr).toBe(runs.isDeployed());
  if (runs.isDeployed()) expect(status).not.toBe(0);
}

describe("npm run compare reports deployed resources", () => {
  it.each([1, 2, 3, 4, 5, 6])("when call %i of pulumi fails", async (nth) => {
    const said = await runs.run(argv, { environment: failingPulumi(nth) });
    expect(said.status).not.toBe(0);
    expectHonest(said);
  });

  it.each(["report.html", "report.md", "report.csv"])("when the disk is full under %s", async (file) => {
    disk.none = [file];
    const said = await runs.run(argv);
    expect(said.stderr).toMatch(
      /report could not be written: .*no space left on device.*npm run report -- .*direct\.json/,
    );
    expect(said.status).toBe(1);
    expectHonest(said);
    expect(runs.isDeployed()).toBe(false);
  });

  it("when the disk is full under the results: they are written elsewhere, and the stack is destroyed", async () => {
    disk.none = ["direct.json", "report.html"];
    const said = await runs.run(argv);
    expect(said.stderr).toMatch(/direct: .*direct\.json could not be written: no space left on device/);
    const [, file = ""] = /^Results: (\S+)$/m.exec(said.stderr) ?? [];
    expect(file).not.toContain(`${runs.directory}/out`);
    expect(resultsSchema.parse(JSON.parse(readFileSync(file, "utf8"))).stack).toBe("direct");
    expect(said.status).toBe(1);
    expectHonest(said);
    expect(runs.isDeployed()).toBe(false);
    rmSync(file);
  });

  it("when no disk takes the results: the state has them, so the stack stays", async () => {
    disk.none = ["direct.json", "report.html"];
    const { TMPDIR } = process.env;
    process.env.TMPDIR = "/dev/null";
    // The engine has space of its own.
    const said = await runs.run(argv, { environment: { TMPDIR: runs.directory } }).finally(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    expect(tmpdir()).not.toBe("/dev/null");
    expect(STILL.exec(said.stderr)?.[1]).toBe("results not written");
    expect(said.status).toBe(1);
    expectHonest(said);
  });

  it("when stdout is closed: the results are in their file", async () => {
    const said = await runs.run(argv, { stdoutFails: true });
    expect(said.stderr).toContain("write EPIPE");
    expect(readdirSync(`${runs.directory}/out`)).toContain("direct.json");
    expectHonest(said);
    expect(runs.isDeployed()).toBe(false);
  });

  it("when a missing proxy is configured, which the engine's own connections do not use", async () => {
    const proxy = "http://127.0.0.1:9";
    const said = await runs.run(argv, {
      environment: { http_proxy: proxy, https_proxy: proxy, grpc_proxy: proxy },
      ownProcess: true,
    });
    expect(said.stderr).toContain("[3/3] direct");
    expectHonest(said);
    expect(runs.isDeployed()).toBe(false);
  });

  it("when the project's directory cannot be made or the disk has no room for a destroy's state", async () => {
    expect((await runs.run([...argv, "--keep"])).status).toBe(1);
    const unmade = await withoutProject(down);
    expect(STILL.exec(unmade.stderr)?.[1]).toBe("not destroyed");
    expect(unmade.status).toBe(3);
    expectHonest(unmade);

    disk.free = 2 ** 19;
    const full = await down();
    expect(full.stderr).toMatch(/expected \d MB free for the state, got 0 MB.*nothing was changed/);
    expect(full.status).toBe(3);
    expectHonest(full);

    disk.free = 2 ** 24;
    expect(await down()).toMatchObject({
      ...{
        status: 0,
        stderr: expect.stringMatching(/^Removed: the stack direct of the run begun at .* UTC$/m),
      },
    });
    expect(runs.isDeployed()).toBe(false);
  });

  it("except for a stack without resources, which needs no space and may be impossible to open", async () => {
    disk.free = 0;
    const empty = await down();
    expect(empty).toMatchObject({ status: 0, stderr: expect.stringMatching(/nothing of it is deployed/) });
    const unmade = await withoutProject(down);
    expect(unmade.status).toBe(1);
    expectHonest(unmade);
  });
});

const down = () => runs.run(["--stack", "direct", "--down", "--yes"]);

/** Runs a function while the project's file is not writable. */
async function withoutProject<T>(act: () => Promise<T>): Promise<T> {
  const project = `${runs.workspace.project}/Pulumi.yaml`;
  const text = readFileSync(project);
  rmSync(project);
  mkdirSync(project);
  try {
    return await act();
  } finally {
    rmSync(project, { recursive: true });
    writeFileSync(project, text);
  }
}
