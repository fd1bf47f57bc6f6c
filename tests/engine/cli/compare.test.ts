/**
 * `npm run compare` against a stand-in cloud: deployed stacks are destroyed, remaining ones reported with their price. The
 * stand-in's remote commands are silent, so every case fails; the lab proves that cases are measured. One stack; each test
 * continues from the previous one.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultsSchema } from "../../../bench/results/index.ts";
import type { StackWorkspace } from "../../../cli/pulumi/workspace.ts";
import type { AzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { type CompareRuns, openCompareRuns } from "../../helpers/compare-run.ts";

let engine: AzureEngine;
let ours: StackWorkspace;
let cloudFile: string;
let directory: string;
let runs: CompareRuns;

beforeAll(async () => {
  runs = await openCompareRuns();
  ({ engine, cloudFile, directory, workspace: ours } = runs);
});
afterAll(() => {
  runs.dispose();
  rmSync(otherBackend, { recursive: true });
});
const otherBackend = mkdtempSync(`${tmpdir()}/egress-bench-backend-`);

/**
 * Runs the command, interrupted as soon as its output matches `until`. @param environment Variables beside the engine's.
 */
const run = (argv: string[], until?: RegExp, environment: Record<string, string> = {}) =>
  runs.run(argv, { environment, ...(until && { until }) });

const short = ["--plan", "rtt", "--duration", "1", "--yes"];
const isDeployed = () => runs.isDeployed();

/** A `pulumi` that records its calls. */
function countingPulumi() {
  const bin = `${directory}/bin`;
  mkdirSync(bin);
  writeFileSync(
    `${bin}/pulumi`,
    `#!/bin/sh\necho "$@" >> ${bin}/calls\nPATH=$(echo "$PATH" | cut -d : -f 2-)\nexec pulumi "$@"\n`,
    { mode: 0o755 },
  );
  return {
    environment: { PATH: `${bin}:${process.env.PATH}` },
    calls: () =>
      readFileSync(`${bin}/calls`, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split(" --")[0]),
  };
}

describe("npm run compare --cloud azure", () => {
  it("destroys everything that it deployed, even when nothing could be measured", async () => {
    const { environment, calls } = countingPulumi();
    const { status, stdout, stderr } = await run(
      ["--stack", "direct", "--json", ...short],
      undefined,
      environment,
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/direct: not measured: direct tcp-ping-pong-350B: bad-output/);
    const { stacks } = JSON.parse(stdout);
    expect(stacks).toMatchObject([{ stack: "direct", left: null, hourlyUsd: 0 }]);
    const results = resultsSchema.parse(JSON.parse(readFileSync(stacks[0].results, "utf8")));
    expect(results.cases.map(({ failure }) => failure?.class)).toEqual(["bad-output"]);
    const { resources, requests } = engine.cloud();
    expect(requests.some(({ method, id }) => method === "PUT" && id.includes("direct-client"))).toBe(true);
    expect(resources).toEqual({});
    // Each takes a good part of a second.
    expect(calls()).toEqual([
      "stack select",
      "stack init direct",
      "up",
      "stack export",
      "destroy",
      "stack rm",
    ]);
  });

  it("interrupted, with the plan of its file, keeps and reports deployed resources", async () => {
    const { status, stderr } = await run(["--stack", "direct"], /\[1\/2\]/);
    expect(status).toBe(130);
    expect(isDeployed()).toBe(true);
    expect(stderr).toMatch(/^STILL DEPLOYED \(interrupted\): direct, costs about 0\.\d\d USD an hour\.$/m);
    const again = `npm run compare -- --cloud azure --stack direct`;
    expect(stderr).toContain(`  go on:   ${again} --out ${directory}/out --resume\n`);
    expect(stderr).toMatch(/ {2}or: {6}npm run pulumi -- --cwd .* --stack direct up$/m);
    expect(stderr).toContain(`  destroy: ${again} --down\n`);
  });

  const unopened: [string, Record<string, string>, RegExp][] = [
    ["a wrong passphrase", { PULUMI_CONFIG_PASSPHRASE: "another" }, /^direct: .*: incorrect passphrase, /m],
    ["a missing backend", { PULUMI_BACKEND_URL: "file:///nowhere" }, /^direct: .*stat \/nowhere/m],
    ["no login", { PULUMI_BACKEND_URL: "https://127.0.0.1:1" }, /^direct: PULUMI_ACCESS_TOKEN must be set/m],
    ["no pulumi", { PATH: "/nowhere" }, /^direct: there is no pulumi on PATH; run: npm run setup$/m],
    [
      "another backend",
      { PULUMI_BACKEND_URL: `file://${otherBackend}` },
      /^direct: an earlier run deployed it, and file:\/\/.* has no stack of that name; log in to /m,
    ],
  ];

  it.each(unopened)(
    "not opened for %s, stays deployed, and is reported briefly",
    async (_, environment, why) => {
      const down = ["--stack", "direct", "--down", "--yes"];
      const { status, stderr } = await run(down, undefined, environment);
      expect(stderr).toMatch(why);
      expect(stderr).toMatch(
        /^STILL DEPLOYED \(not destroyed\): direct, costs about 0\.\d\d USD an hour\.$/m,
      );
      expect(stderr).not.toMatch(/Command failed with|stderr:/);
      expect(status).toBe(3);
      const again = await run(["--stack", "direct", "--resume", "--yes"], undefined, environment);
      expect(again.stderr).toMatch(why);
      expect(again.stderr).toMatch(/^STILL DEPLOYED \(not opened\): direct, costs about/m);
      expect(again.status).toBe(1);
      expect(isDeployed()).toBe(true);
    },
  );

  it("--keep leaves it, also of a run that goes on, and says its price and how to destroy it", async () => {
    const { status, stderr } = await run(["--stack", "direct", "--resume", "--keep", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^STILL DEPLOYED \(kept\): direct, costs about 0\.\d\d USD an hour\.$/m);
    expect(stderr).toContain("npm run compare -- --cloud azure --stack direct --down");
    expect(isDeployed()).toBe(true);
  });

  it("--down ends with 3 while it cannot", async () => {
    const cloud = readFileSync(cloudFile);
    writeFileSync(cloudFile, "no answer that a provider can read");
    const { status, stderr } = await run(["--stack", "direct", "--down"]);
    expect(stderr).toMatch(/^STILL DEPLOYED \(not destroyed\): direct/m);
    expect(status).toBe(3);
    writeFileSync(cloudFile, cloud);
    expect(isDeployed()).toBe(true);
  });

  it("asks before it destroys what no run of this checkout deployed, and keeps it without an answer", async () => {
    renameSync(`${ours.project}/direct.runs`, `${directory}/runs`);
    const { status, stderr } = await run(["--stack", "direct", "--down"]);
    expect(stderr).toContain(
      "stack direct was deployed by hand or from elsewhere, and would be destroyed with its results",
    );
    expect(status).toBe(2);
    expect(isDeployed()).toBe(true);
  });

  describe("with a truncated state", () => {
    let state: string;
    beforeAll(() => {
      const { PULUMI_BACKEND_URL = "" } = ours.environment;
      state = `${PULUMI_BACKEND_URL.replace(/^file:\/\/|\?.*$/g, "")}/.pulumi/stacks/egress-bench/direct.json`;
    });
    const cut = (file: string, characters: number) =>
      writeFileSync(file, readFileSync(file, "utf8").slice(0, characters));

    it("is not destroyed without a backup: nothing is changed, and the message says where to look", async () => {
      const whole = readFileSync(state, "utf8");
      cut(state, 1000);
      cut(`${state}.bak`, 10);
      const { status, stderr } = await run(["--stack", "direct", "--down", "--yes"]);
      expect(stderr).toContain(
        `direct: its state, ${state}, cannot be read, and neither can a backup: look for what`,
      );
      expect(stderr).toMatch(/^STILL DEPLOYED \(not destroyed\): direct/m);
      expect(status).toBe(3);
      expect(isDeployed()).toBe(true);
      // As Pulumi leaves it, step by step.
      writeFileSync(`${state}.bak`, whole);
    });

    it("is taken down by its backup, though deployed from elsewhere where --yes agrees; what that cannot know of is said", async () => {
      const { status, stderr } = await run(["--stack", "direct", "--down", "--yes"]);
      expect(stderr).toMatch(
        /direct: its state could not be read and is kept as .*direct\.json\.broken-\d+$/m,
      );
      expect(stderr).toMatch(/direct: the backup of its state, .* may miss the last step.s resources: look/);
      expect(status).toBe(1);
      expect(isDeployed()).toBe(false);
    });
  });

  it("--down of what is not deployed says so, and makes nothing", async () => {
    const { status, stderr } = await run(["--stack", "direct", "--down", "--out", `${directory}/none`]);
    expect(stderr).toMatch(/^direct: nothing of it is deployed, according to file:\/\/.*$/m);
    expect(status).toBe(0);
    expect(existsSync(`${directory}/none`)).toBe(false);
  });
});
