/**
 * `npm run compare` against a cloud that is a stand-in: what is deployed goes, what stays is said with its price. The
 * stand-in's remote commands are silent, so that every case fails; that cases are measured, the lab proves.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultsSchema } from "../../../bench/results/index.ts";
import { compare } from "../../../cli/compare/command.ts";
import { labWorkspace, type StackWorkspace } from "../../../cli/run/workspace.ts";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";

let engine: AzureEngine;
let ours: StackWorkspace;
const directory = mkdtempSync(`${tmpdir()}/egress-bench-compare-`);

beforeAll(async () => {
  engine = createAzureEngine();
  const { workspace } = await engine.stack("direct", "whole");
  const environment = Object.fromEntries(
    Object.entries(workspace.envVars).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  ours = { project: `${directory}/project`, stackFiles: `${workspace.workDir}/stacks`, environment };
});
afterAll(() => {
  engine.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs the command; interrupted as soon as it says what `until` matches. @param environment Beside the engine's. */
async function run(argv: string[], until?: RegExp, environment: Record<string, string> = {}) {
  const interrupt = new AbortController();
  const workspace = { ...ours, environment: { ...ours.environment, ...environment } };
  let [stdout, stderr] = ["", ""];
  const status = await compare(["--cloud", "azure", "--out", `${directory}/out`, ...argv], {
    stdout: {
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
        if (until?.test(text)) {
          interrupt.abort();
        }
      },
    },
    ask: null,
    onInterrupt: () => interrupt.signal,
    workspaces: { azure: workspace, aws: workspace, local: labWorkspace },
  });
  return { status, stdout, stderr };
}

const short = ["--plan", "rtt", "--duration", "1", "--yes"];

describe("npm run compare --cloud azure", () => {
  it("destroys all that it deployed, also when nothing could be measured", async () => {
    const { status, stdout, stderr } = await run(["--stack", "direct", "--json", ...short]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/direct: not measured: direct tcp-ping-pong-350B: bad-output/);
    const { stacks } = JSON.parse(stdout);
    expect(stacks).toMatchObject([{ stack: "direct", left: null, hourlyUsd: 0 }]);
    const results = resultsSchema.parse(JSON.parse(readFileSync(stacks[0].results, "utf8")));
    expect(results.cases.map(({ failure }) => failure?.class)).toEqual(["bad-output"]);
    const { resources, requests } = engine.cloud();
    expect(requests.some(({ method, id }) => method === "PUT" && id.includes("direct-client"))).toBe(true);
    expect(resources).toEqual({});
  });

  it("--keep leaves it, says its price and how to destroy it; --down ends with 3 while it cannot, then does", async () => {
    const kept = await run(["--stack", "direct", "--keep", ...short]);
    expect(kept.status).toBe(1);
    expect(kept.stderr).toMatch(/^STILL DEPLOYED \(kept\): direct, costs about 0\.\d\d USD an hour\.$/m);
    expect(kept.stderr).toContain("npm run compare -- --cloud azure --stack direct --down");
    const file = join(engine.project, "../cloud.json");
    const cloud = readFileSync(file);
    writeFileSync(file, "no answer that a provider can read");
    const failed = await run(["--stack", "direct", "--down"]);
    expect(failed.stderr).toMatch(/^STILL DEPLOYED \(not destroyed\): direct/m);
    expect(failed.status).toBe(3);
    writeFileSync(file, cloud);
    expect(engine.cloud().resources).not.toEqual({});
    const down = await run(["--stack", "direct", "--down"]);
    expect(down.stderr).not.toContain("STILL DEPLOYED");
    expect(down.status).toBe(0);
    expect(engine.cloud().resources).toEqual({});
  });

  it("interrupted, leaves what is deployed and says so", async () => {
    const { status, stderr } = await run(["--stack", "direct", ...short], /\[1\/3\]/);
    expect(status).toBe(130);
    expect(engine.cloud().resources).not.toEqual({});
    expect(stderr).toMatch(/^STILL DEPLOYED \(interrupted\): direct, costs about 0\.\d\d USD an hour\.$/m);
    expect(stderr).toMatch(/ {2}or: {6}npm run pulumi -- --cwd .* --stack direct up$/m);
    await run(["--stack", "direct", "--down"]);
    expect(engine.cloud().resources).toEqual({});
  });

  it("asks before it destroys what was deployed by hand, and without a person leaves it", async () => {
    const byHand = await engine.stack("direct", "whole", {
      "egress-bench:plan": "rtt",
      "egress-bench:runId": "mine",
    });
    await byHand.up({ color: "never" });
    const refused = await run(["--stack", "direct", "--down"]);
    expect(refused.stderr).toContain(
      "stack direct was deployed by hand or from elsewhere, and would be destroyed with its results",
    );
    expect(refused.status).toBe(2);
    expect(engine.cloud().resources).not.toEqual({});
    expect((await run(["--stack", "direct", "--down", "--yes"])).status).toBe(0);
    expect(engine.cloud().resources).toEqual({});
  });

  describe("that cannot be opened", () => {
    beforeAll(async () => {
      await run(["--stack", "direct", "--keep", ...short]);
    });

    const unopened: [string, Record<string, string>, RegExp][] = [
      ["a wrong passphrase", { PULUMI_CONFIG_PASSPHRASE: "another" }, /^direct: .*: incorrect passphrase, /m],
      [
        "a backend that is not there",
        { PULUMI_BACKEND_URL: "file:///nowhere" },
        /^direct: .*stat \/nowhere/m,
      ],
      [
        "no login",
        { PULUMI_BACKEND_URL: "https://127.0.0.1:1" },
        /^direct: PULUMI_ACCESS_TOKEN must be set/m,
      ],
      ["no pulumi", { PATH: "/nowhere" }, /^direct: there is no pulumi on PATH; run: npm run setup$/m],
      [
        "another backend",
        { PULUMI_BACKEND_URL: `file://${directory}` },
        /^direct: an earlier run deployed it, and file:\/\/.* has no stack of that name; log in to /m,
      ],
    ];

    it.each(unopened)(
      "for %s, stays deployed, and is said to in a few words",
      async (_, environment, why) => {
        const { status, stderr } = await run(
          ["--stack", "direct", "--down", "--yes"],
          undefined,
          environment,
        );
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
      },
    );

    it("for none of these reasons, is taken down", async () => {
      expect(engine.cloud().resources).not.toEqual({});
      expect((await run(["--stack", "direct", "--down"])).status).toBe(0);
      expect(engine.cloud().resources).toEqual({});
      const again = await run(["--stack", "direct", "--down"]);
      expect(again.stderr).toMatch(/^direct: nothing of it is deployed, as file:\/\/.* has it$/m);
      expect(again.status).toBe(0);
    });
  });

  describe("whose state was cut short", () => {
    let state: string;
    beforeAll(async () => {
      await run(["--stack", "direct", "--keep", ...short]);
      const { PULUMI_BACKEND_URL = "" } = ours.environment;
      state = `${PULUMI_BACKEND_URL.replace(/^file:\/\/|\?.*$/g, "")}/.pulumi/stacks/egress-bench/direct.json`;
    });
    afterAll(() => run(["--stack", "direct", "--down", "--yes"]));
    const cut = (file: string, characters: number) =>
      writeFileSync(file, readFileSync(file, "utf8").slice(0, characters));

    it("is not taken down without a backup: nothing is changed, and it says where to look", async () => {
      const whole = readFileSync(state, "utf8");
      cut(state, 1000);
      cut(`${state}.bak`, 10);
      const { status, stderr } = await run(["--stack", "direct", "--down", "--yes"]);
      expect(stderr).toContain(
        `direct: its state, ${state}, cannot be read, and there is no backup that can: look for what`,
      );
      expect(stderr).toMatch(/^STILL DEPLOYED \(not destroyed\): direct/m);
      expect(status).toBe(3);
      expect(engine.cloud().resources).not.toEqual({});
      // As Pulumi leaves it, step by step.
      writeFileSync(`${state}.bak`, whole);
    });

    it("is taken down by its backup, and what that cannot know of is said", async () => {
      const { status, stderr } = await run(["--stack", "direct", "--down", "--yes"]);
      expect(stderr).toMatch(
        /direct: its state could not be read and is kept as .*direct\.json\.broken-\d+$/m,
      );
      expect(stderr).toMatch(
        /direct: the backup of its state, .* does not know what the last step made: look/,
      );
      expect(status).toBe(1);
      expect(engine.cloud().resources).toEqual({});
    });
  });
});
