/**
 * The life cycle of a Command, local and remote, through the real engine. Every resource is made once per kind; each test
 * is one engine operation on the previous one's stack.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observe } from "../../helpers/engine-events.ts";
import { createEngine, type Engine } from "../../helpers/pulumi.ts";
import { type Sshd, startSshd } from "../../helpers/sshd.ts";

const KINDS = ["local", "remote"] as const;
type Kind = (typeof KINDS)[number];
type CommandArgs = Omit<command.remote.CommandArgs, "connection">;

const LONG_LINE_BYTES = 300_000;

let engine: Engine;
let sshd: Sshd;
let stack: Stack;
/** Settings that the program below reads anew in every operation. */
let settings = { greeting: "hello", trigger: "1" };
/** Known `stdout`s while the program ran. */
let known: string[] = [];

/** A file to which one resource's commands append a line per run. */
const logOf = (resource: string) => join(engine.directory, `${resource}.log`);
const runsOf = (resource: string) =>
  existsSync(logOf(resource)) ? readFileSync(logOf(resource), "utf8").trimEnd().split("\n") : [];
const runsOfBoth = (name: string) => KINDS.map((kind) => runsOf(`${kind}-${name}`));

async function program() {
  const outputs: Record<string, pulumi.Output<string>> = {};
  for (const kind of KINDS) {
    const { greeting, trigger } = settings;
    const log = (name: string, text: string) => `echo ${text} >> ${logOf(`${kind}-${name}`)}`;
    const make = (name: string, args: CommandArgs, opts?: pulumi.CustomResourceOptions) => {
      const resource = makeCommand(kind, `${kind}-${name}`, args, opts);
      outputs[`${kind}-${name}`] = resource.stdout;
      return resource;
    };

    const basic = make("basic", {
      create: `${log("basic", `create ${greeting}`)}; printf 'one\\ntwo\\n\\n'; echo problem >&2`,
    });
    outputs[`${kind}-basic-stderr`] = basic.stderr;
    basic.stdout.apply((stdout) => known.push(stdout));
    make("updated", {
      create: `${log("updated", "create")}; echo first`,
      update: `${log("updated", `update ${greeting}`)}; echo second`,
      stdin: greeting,
    });
    make("triggered", {
      create: log("triggered", `create ${trigger}`),
      delete: log("triggered", `delete ${trigger}`),
      triggers: [trigger],
    });
    const owner = make("owner", { create: "true", delete: log("owner", "delete") });
    make("owned", { create: "true", delete: log("owned", "delete") }, { deletedWith: owner });
    make("stdin", { create: "cat", stdin: "a\nb\n" });
    make("inherited", { create: 'echo "$NODE_COMPILE_CACHE$CALLERS_COMPILE_CACHE"' });
    make("secret", { create: pulumi.secret("echo h1dden | tr a-z A-Z >/dev/null; echo shown") });
    make(
      "secret-output",
      { create: "echo AAAA | tr A b", logging: "none" },
      { additionalSecretOutputs: ["stdout"] },
    );
    make("long", { create: `head -c ${LONG_LINE_BYTES} /dev/zero | tr '\\0' x`, logging: "none" });
    make("idle", { delete: "true" });
    make("logs-none", { create: "echo to-out; echo to-err >&2", logging: "none" });
  }
  return outputs;
}

function makeCommand(kind: Kind, name: string, args: CommandArgs, opts?: pulumi.CustomResourceOptions) {
  if (kind === "local") return new command.local.Command(name, args, opts);
  const { host, port, user, privateKey, hostKey } = sshd;
  const connection = { host, port, user, privateKey, hostKey, dialErrorLimit: 1 };
  return new command.remote.Command(name, { ...args, connection }, opts);
}

beforeAll(async () => {
  sshd = await startSshd();
  engine = createEngine();
  stack = await engine.stack("lifecycle", program);
});

afterAll(async () => {
  await sshd?.stop();
  engine?.dispose();
});

test("a preview runs nothing and knows no output", async () => {
  await stack.preview();
  expect(runsOfBoth("basic")).toEqual([[], []]);
  expect(known).toEqual([]);
});

test("an update runs create and gives its outputs", async () => {
  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  const outputs = await stack.outputs();
  const stdoutOf = (name: string) => KINDS.map((kind) => outputs[`${kind}-${name}`]?.value);
  const both = (value: unknown) => [value, value];

  expect(runsOfBoth("basic")).toEqual(both(["create hello"]));
  expect(stdoutOf("basic")).toEqual(both("one\ntwo\n"));
  expect(stdoutOf("basic-stderr")).toEqual(both("problem"));
  expect(stdoutOf("updated")).toEqual(both("first"));
  expect(stdoutOf("stdin")).toEqual(both("a\nb"));
  expect(stdoutOf("inherited")).toEqual([engine.environment.NODE_COMPILE_CACHE, ""]);
  expect(stdoutOf("long")).toEqual(both("x".repeat(LONG_LINE_BYTES)));
  expect(stdoutOf("idle")).toEqual(both(""));
  expect(runsOfBoth("owner")).toEqual(both([]));

  expect(KINDS.map((kind) => up.messages(`${kind}-logs-none`))).toEqual(both([]));
});

test("secrets are encrypted in the state", async () => {
  const outputs = await stack.outputs();
  expect(outputs["remote-secret"]).toEqual({ value: "shown", secret: false });
  expect(outputs["remote-secret-output"]).toEqual({ value: "bbbb", secret: true });
  const state = engine.storedState("lifecycle");
  expect(state).toContain("one\\ntwo");
  expect(state).not.toContain("h1dden");
  expect(state).not.toContain("bbbb");
  expect(state).not.toContain("PRIVATE KEY");
});

test("nothing runs when nothing has changed", async () => {
  const { summary } = await stack.up();
  expect(Object.keys(summary.resourceChanges ?? {})).toEqual(["same"]);
});

test("a changed input runs update, or create where there is none; a changed trigger replaces", async () => {
  settings = { greeting: "bye", trigger: "2" };
  known = [];
  const preview = await observe((onEvent) => stack.preview({ onEvent }));
  expect(known).toEqual([]);
  expect(preview.steps("remote-basic")).toEqual(["update"]);
  expect(preview.steps("remote-triggered")).toContain("replace");

  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  const outputs = await stack.outputs();
  for (const kind of KINDS) {
    expect(up.steps(`${kind}-basic`)).toEqual(["update"]);
    expect(runsOf(`${kind}-basic`)).toEqual(["create hello", "create bye"]);
    expect(runsOf(`${kind}-updated`)).toEqual(["create", "update bye"]);
    expect(outputs[`${kind}-updated`]?.value).toBe("second");
    expect(runsOf(`${kind}-triggered`)).toEqual(["create 1", "create 2", "delete 1"]);
    expect(up.steps(`${kind}-stdin`)).toEqual(["same"]);
  }
});

test("destroy runs delete, except for resources deleted with their owner", async () => {
  const destroy = await observe((onEvent) => stack.destroy({ onEvent }));
  expect(destroy.failureText).toBe("");
  expect(runsOfBoth("owner")).toEqual([["delete"], ["delete"]]);
  expect(runsOfBoth("owned")).toEqual([[], []]);
  expect(runsOfBoth("triggered").map((runs) => runs.at(-1))).toEqual(["delete 2", "delete 2"]);
});
