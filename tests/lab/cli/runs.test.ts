/**
 * `npm run local` as a newcomer runs it, but with shorter cases. Then a stack whose run is interrupted in every way, and
 * continues each time; `npm run compare` then measures it beside another one; and finally its state is truncated. Set-up is
 * tested elsewhere, refusals before anything is made in `tests/unit/cli/`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { presets } from "../../../bench/presets/index.ts";
import { type Results, resultsSchema } from "../../../bench/results/index.ts";
import { labOf, labWorkspace, ownStackFiles, PROJECT } from "../../../cli/pulumi/workspace.ts";
import { endHost, startHost } from "../../../components/local/lab/hosts.ts";
import { type Ended, startCli, startPulumi } from "../../helpers/cli.ts";
import { hostSpec, hostsOf } from "../../helpers/lab-hosts.ts";
import { guardLab } from "../../helpers/left-behind.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

const STACK = "local-ended";
const stacks = [STACK, "local-nat-instance"];
for (const stack of ["local-compare", ...stacks]) guardLab(labOf(stack));
const out = `${directory}/results.json`;
const local = (...args: string[]) => startCli("local", args);
const quick = presets.quick as (typeof presets)[string];
const resultsIn = (file: string) => resultsSchema.parse(JSON.parse(readFileSync(file, "utf8")));

/** As short as possible, and with a rate where TCP would take all processors. */
function shorter(one: (typeof quick.cases)[number]): object {
  const isTcp = one.tool === "iperf3" && one.protocol === "tcp";
  return { ...one, durationSeconds: 1, ...(isTcp ? { bitrate: "100M" } : {}) };
}

describe("npm run local", () => {
  let run: Ended;
  beforeAll(async () => {
    const plan = `${directory}/quick.json`;
    writeFileSync(plan, JSON.stringify({ ...quick, cases: quick.cases.map(shorter), rateScale: 0.2 }));
    run = await startCli("local", ["--plan", plan, "--out", out], savingAtEnd).ended;
  });

  test("measures everything, with exit status 0", () => {
    expect(run).toMatchObject({ code: 0 });
    const { cases } = resultsIn(out);
    expect(cases.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
    expect(cases).toHaveLength(14);
  });

  test("prints a row a case and a column a topology", () => {
    const table = run.stdout.trim().split("\n");
    expect(table[0]).toMatch(/^case +direct +nat-instance$/);
    expect(table.filter((line) => /^(tcp|udp)-/.test(line))).toHaveLength(7);
    expect(table.find((line) => line.startsWith("tcp-egress"))).toMatch(/bit\/s +.*bit\/s \(\d+\.\d\dx\)$/);
  });

  test("reports its progress", () => {
    expect(run.stderr).toMatch(/\[1\/14\] direct {2}tcp-egress-\w+ {2}.*bit\/s/);
    expect(run.stderr).toMatch(/\[14\/14\] nat-instance {2}tcp-connect {2}p50/);
  });

  test("leaves nothing behind", () => {
    expect(hostsOf(labOf("local-compare"))).toEqual([]);
  });
});

/** Each test continues from the previous one, on a separate stack with few hosts. */
describe("a stack that is kept", () => {
  const stackFile = `${ownStackFiles}/Pulumi.${STACK}.yaml`;
  const state = `${labWorkspace.environment.PULUMI_BACKEND_URL?.replace("file://", "")}/.pulumi/stacks/${PROJECT}/${STACK}.json`;
  const own = (...args: string[]) => local("--stack", STACK, ...args);
  const start = () => own("--out", out);
  const untilCase = (run: ReturnType<typeof local>, number: number) =>
    new Promise<void>((resolve) => {
      run.stderr?.on("data", (chunk) => String(chunk).includes(`[${number}/8]`) && resolve());
    });
  const chosen = ["--cloud", "local", ...stacks.flatMap((stack) => ["--stack", stack])];
  const labHosts = (...of: string[]) => of.flatMap((stack) => hostsOf(labOf(stack)));
  const whole = "earlier measurements";
  let partial: Results;

  beforeAll(() => {
    mkdirSync(ownStackFiles, { recursive: true });
    const cases = [{ tool: "iperf3", streams: [1, 2, 3, 4, 5, 6, 7, 8], bitrate: "5M", durationSeconds: 1 }];
    const plan = `egress-bench:plan: ${JSON.stringify({ cases })}`;
    writeFileSync(
      stackFile,
      `config: { egress-bench:cloud: local, egress-bench:topologies: [direct], ${plan} }\n`,
    );
    writeFileSync(out, whole);
  });
  afterAll(async () => {
    if (labHosts(...stacks).length > 0) {
      await startCli("compare", [...chosen, "--down", "--yes"]).ended;
      await Promise.all(labHosts(...stacks).map(endHost));
    }
    rmSync(stackFile);
    for (const name of readdirSync(dirname(state)).filter((one) => one.startsWith(`${STACK}.json.`))) {
      rmSync(`${dirname(state)}/${name}`);
    }
  });

  test("is interrupted by Ctrl-C: keeps complete results, further measurements, and the lab", async () => {
    const run = start();
    await untilCase(run, 3);
    run.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr.match(/interrupted/g)).toHaveLength(2);
    expect(stderr).toContain(`${STACK}: ended with 2 of 8 measured: interrupted\n`);
    expect(stderr).not.toMatch(/error:/);
    expect(stderr).toMatch(new RegExp(`^STILL DEPLOYED \\(interrupted\\): ${STACK}, costs nothing\\.$`, "m"));
    expect(stderr).toContain(`npm run local -- --stack ${STACK} --out ${out} --resume\n`);
    expect(stderr).toContain(`npm run local -- --stack ${STACK} --down\n`);
    expect(readFileSync(out, "utf8")).toBe(whole);
    partial = resultsIn(`${directory}/results.partial.json`);
    expect(partial.cases.slice(0, 2).map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(partial.cases.at(-1)?.failure?.class).toBe("not-run");
    expect(labHosts(STACK)).not.toEqual([]);
  });

  test("is not restarted over earlier measurements without being asked", async () => {
    const { code, stderr } = await start().ended;
    expect(stderr).toMatch(
      new RegExp(`stack ${STACK} holds an unfinished run, \\d+ of 8 measured.*--resume.*--yes`),
    );
    expect(code).toBe(2);
    expect(labHosts(STACK)).not.toEqual([]);
  });

  test("is ended by SIGKILL: nothing measured is lost or measured again, and --resume goes on; nobody else ends it meanwhile", async () => {
    const run = own("--resume", "--out", out);
    await untilCase(run, 5);
    const others = await Promise.all([[], ["--yes", "--down"]].map((args) => own(...args).ended));
    for (const { code, stderr } of others) {
      expect(stderr).toMatch(
        new RegExp(`stack ${STACK}: pulumi \\(process \\d+ of \\S+ on \\S+\\) has been using it since`),
      );
      expect(code).toBe(1);
    }
    run.kill("SIGKILL");
    await run.ended;
    // Its engine may take a moment to notice the closed connection.
    const resume = async () => {
      const resumed = await startCli(
        "local",
        ["--stack", STACK, "--resume", "--keep", "--out", out],
        savingAtEnd,
      ).ended;
      return { ...resumed, isBusy: resumed.stderr.includes("has been using it since") };
    };
    let resumed = await resume();
    const tryAgain = async () => {
      resumed = resumed.isBusy ? await resume() : resumed;
      return resumed.isBusy;
    };
    await expect.poll(tryAgain, { interval: 500, timeout: 60_000 }).toBe(false);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stderr).toMatch(/^STILL DEPLOYED \(kept\)/m);
    const { runId, cases } = resultsIn(out);
    expect(cases.map(({ status }) => status)).toEqual(Array(8).fill("ok"));
    expect(runId).toBe(partial.runId);
    const times = (results: Results) => results.cases.slice(0, 2).map(({ startedAt }) => startedAt);
    expect(times(resultsIn(out))).toEqual(times(partial));
    expect(existsSync(`${directory}/results.partial.json`)).toBe(false);
  });

  test("has no changes in a preview afterwards", async () => {
    const preview = ["preview", "--stack", STACK, "--expect-no-changes", "--diff", "--non-interactive"];
    const { code, stdout, stderr } = await startPulumi(...preview).ended;
    expect(stdout + stderr).toMatch(/\d+ unchanged/);
    expect(code, stdout + stderr).toBe(0);
  });

  test("npm run compare measures every stack in turn, writes results and one report, and reports its progress", async () => {
    const plan = `${directory}/plan.yaml`;
    writeFileSync(plan, "repeat: 2\ncases: [{ tool: connect, durationSeconds: 1 }]\n");
    const args = [...chosen, "--plan", plan, "--out", directory, "--json", "--keep"];
    const { code, stdout, stderr } = await startCli("compare", args, savingAtEnd).ended;
    expect(code, stderr).toBe(0);
    const { report, stacks: outcomes } = JSON.parse(stdout);
    const results = (stack: string) => `${directory}/${stack}.json`;
    expect(outcomes).toEqual(
      stacks.map((stack) => ({ stack, results: results(stack), problems: [], left: "kept", hourlyUsd: 0 })),
    );
    const [first, second] = stacks.map((stack) => resultsIn(results(stack)));
    expect([first, second].map((one) => one?.cases.map(({ status }) => status))).toEqual([["ok"], ["ok"]]);
    expect(Date.parse(first?.finishedAt ?? "")).toBeLessThan(Date.parse(second?.startedAt ?? ""));
    expect(first?.runId).not.toBe(partial.runId);
    expect(readFileSync(report, "utf8")).toContain(stacks.map((stack) => `${stack} (local)`).join(", "));
    expect(stderr).toMatch(new RegExp(`^${STACK}: measures for \\d+ s; costs nothing$`, "m"));
    expect(stderr).toMatch(
      new RegExp(`^${STACK}: \\[1/2\\] direct {2}tcp-connect \\(1 of 2\\) \\.\\.\\., about \\d+ s$`, "m"),
    );
    expect(stderr).toMatch(/^local-nat-instance: \[1\/2\] nat-instance {2}tcp-connect \(1 of 2\) {2}p50/m);
    for (const stack of stacks) {
      expect(stderr).toContain(`STILL DEPLOYED (kept): ${stack}, costs nothing.\n`);
      expect(labHosts(stack)).not.toEqual([]);
    }
  });

  const notRead = `${STACK}: its state could not be read and is kept as ${state}.broken-`;

  test("is destroyed with a truncated state, by Pulumi's backup, and the other one too", async () => {
    writeFileSync(state, readFileSync(state, "utf8").slice(0, 1000));
    const { code, stderr } = await startCli("compare", [...chosen, "--down", "--yes"], savingAtEnd).ended;
    expect(stderr).toContain(notRead);
    expect(stderr).toMatch(
      new RegExp(
        `^Removed: \\d hosts and the stack ${STACK} of the run begun at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`,
        "m",
      ),
    );
    expect(stderr).not.toContain("STILL DEPLOYED");
    expect(code).toBe(0);
    expect(labHosts(...stacks)).toEqual([]);
  });

  test("is destroyed without a backup too: its hosts are found without it", async () => {
    await startHost(hostSpec(labOf(STACK), "server"));
    expect(labHosts(STACK)).not.toEqual([]);
    writeFileSync(state, "{");
    writeFileSync(`${state}.bak`, "{");
    const { code, stderr } = await own("--down", "--yes").ended;
    expect(stderr).toContain(notRead);
    expect(stderr).toMatch(/^Removed: 1 host$/m);
    expect(code).toBe(0);
    expect(labHosts(STACK)).toEqual([]);
    expect((await own("--down", "--yes").ended).stderr).toContain(`${STACK}: nothing of it is deployed`);
  });
});
