/** `npm run compare` reports what stays deployed whichever step throws whichever value. The engine is a stub. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StackRun } from "../../../cli/pulumi/stack-run.ts";
import { cloudWorkspace } from "../../../cli/pulumi/workspace.ts";
import { compare } from "../../../cli/run/command.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const STACKS = ["direct", "nat-gateway"] as const;
const PLAN = ["--plan", "rtt"];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "egress-bench-failures-"));
  mkdirSync(join(directory, "state/.pulumi"), { recursive: true });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs both stacks with the given `steps`; other steps do nothing. */
async function run(steps: Record<string, () => unknown>, more: readonly string[] = PLAN) {
  vi.spyOn(StackRun, "open").mockImplementation(async ({ file }) => {
    await steps.open?.();
    let isUsed = true;
    return Object.assign(Object.create(StackRun.prototype), {
      stack: { name: file.name },
      left: async () => null,
      startAfresh: () => {},
      measure: fail(new Error("nothing is measured")),
      isUsed: async () => isUsed,
      takeDown: async () => {
        isUsed = false;
      },
      forget: async () => {},
      ...steps,
    });
  });
  let said = "";
  const write = (text: string) => {
    said += text;
  };
  const workspace = {
    project: join(directory, "project"),
    stackFiles: cloudWorkspace.stackFiles,
    environment: { PULUMI_BACKEND_URL: `file://${directory}/state` },
  };
  const status = await compare(
    [
      "--cloud",
      "azure",
      ...STACKS.flatMap((stack) => ["--stack", stack]),
      "--yes",
      "--out",
      `${directory}/out`,
      ...more,
    ],
    {
      stdout: { write },
      stderr: { write },
      ask: null,
      onInterrupt: () => new AbortController().signal,
      workspaces: { azure: workspace, aws: workspace, hosts: workspace, local: workspace },
    },
  );
  return { status, said };
}

const fail = (thrown: unknown) => () => Promise.reject(thrown);

function expectAllStillDeployed({ status, said }: { status: number; said: string }): void {
  for (const stack of STACKS) {
    expect(said).toMatch(new RegExp(`^STILL DEPLOYED \\(not destroyed\\): ${stack}, costs`, "m"));
  }
  expect(status).toBe(3);
}

describe.each([
  ["an error", new Error("no")],
  ["null", null],
  ["undefined", undefined],
  ["a text", "no"],
  ["an object without a message", { code: 5 }],
])("npm run compare, where steps throw %s", (_, thrown) => {
  it.each(["isUsed", "takeDown"])("reports what stays deployed when %s throws", async (step) => {
    expectAllStillDeployed(await run({ [step]: fail(thrown) }));
    expectAllStillDeployed(await run({ [step]: fail(thrown) }, ["--down"]));
  });

  it("reports what stays deployed when takeDown took nothing down, so that forget throws", async () => {
    const ended = await run({ takeDown: async () => {}, forget: fail(thrown) });
    expectAllStillDeployed(ended);
    expect(ended.said).toMatch(/^direct: not all destroyed/m);
  });

  it.each(["open", "left", "startAfresh", "measure", "forget"])("fails when %s throws", async (step) => {
    const { status, said } = await run({
      [step]:
        step !== "startAfresh"
          ? fail(thrown)
          : () => {
              throw thrown;
            },
    });
    expect(status).toBe(1);
    for (const stack of STACKS) {
      expect(said).toMatch(new RegExp(`^${stack}: \\S`, "m"));
    }
    expect(said).not.toContain("Cannot read properties");
  });
});

it("a stack whose project cannot be written is reported as still deployed", async () => {
  mkdirSync(join(directory, "project/Pulumi.yaml/x"), { recursive: true });
  for (const stack of STACKS) {
    writeFileSync(join(directory, "project", `${stack}.runs`), "20261123000000");
  }
  const said = await run({}, ["--down"]);
  expectAllStillDeployed(said);
  expect(said.said).toMatch(/^direct: .*EISDIR/m);
});

it("a host's failure is one line, and no command of a CI system", async () => {
  const results = handMadeResults();
  const failure = {
    class: "timeout" as const,
    message: "x\n::stop-commands::t\n::error title=a::b",
    stderrTail: "",
  };
  const cases = results.cases.slice(0, 1).map((one) => ({ ...one, status: "failed" as const, failure }));
  const measure = async () => ({ results: { ...results, cases }, brokenOff: null });
  const { said } = await run({ measure, takeDown: fail(new Error("y\n::error::z")) });
  expect(said).toContain(": timeout: x ::stop-commands::t ::error title=a::b\n");
  expect(said).not.toMatch(/^\s*::/m);
});

it("a stack that a quota refuses waits for the other, and is then opened, measured and ended", async () => {
  const steps: string[] = [];
  let ended = () => {};
  const other = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const { status, said } = await run({
    open: () => steps.push("open"),
    takeDown: () => steps.push("takeDown"),
    measure: async function (this: { stack: { name: string } }) {
      const { name } = this.stack;
      steps.push(name);
      if (name !== "direct") {
        await other;
      } else if (steps.filter((step) => step === name).length === 1) {
        setTimeout(ended, 1);
        throw new Error("PublicIPCountLimitReached: Cannot create more than 2 public IP addresses");
      }
      return { results: { ...handMadeResults(), cases: [] }, brokenOff: null };
    },
  });
  expect(said).toMatch(/^direct: waits for quota: azure \S+ standardskupublicipaddresses$/m);
  const names = steps.filter((step) => step !== "open" && step !== "takeDown");
  expect([names, steps.length]).toEqual([["direct", "nat-gateway", "direct"], 9]);
  expect(status).toBe(0);
});
