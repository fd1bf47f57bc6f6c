/**
 * CopyToRemote through the real engine. The remote host is this machine, so that copies can be inspected; each test is one
 * update of the same stack.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observe } from "../../helpers/engine-events.ts";
import { createEngine, type Engine, isStandIn, isWordedAs121 } from "../../helpers/pulumi.ts";
import { type Sshd, startSshd } from "../../helpers/sshd.ts";

const LARGE_FILE_BYTES = 1_000_000;

let engine: Engine;
let sshd: Sshd;
let stack: Stack;
/** Settings that the program below reads anew in every operation. */
let settings = { trigger: "1", also: "nothing" as "nothing" | "impossible" | "unsupported" };

const sourcePath = (name: string) => join(engine.directory, "source", name);
const remotePath = (name: string) => join(engine.directory, "remote", name);
const readRemote = (name: string) => readFileSync(remotePath(name), "utf8");

async function program() {
  const { host, port, user, privateKey, hostKey } = sshd;
  const connection = { host, port, user, privateKey, hostKey, dialErrorLimit: 1 };
  const copy = (
    name: string,
    source: pulumi.asset.Asset | pulumi.asset.Archive,
    path: string,
    trigger?: string,
  ) =>
    new command.remote.CopyToRemote(name, {
      connection,
      source,
      remotePath: path,
      ...(trigger !== undefined && { triggers: [trigger] }),
    });
  const { FileAsset, StringAsset } = pulumi.asset;
  copy("changed", new FileAsset(sourcePath("changed")), remotePath("changed"));
  copy("triggered", new FileAsset(sourcePath("file")), remotePath("triggered"), settings.trigger);
  copy("file", new FileAsset(sourcePath("file")), remotePath("file-copy"));
  if (settings.also === "unsupported") {
    copy("assets", new pulumi.asset.AssetArchive({ a: new StringAsset("x") }), remotePath("assets"));
  }
  if (settings.also !== "impossible") return;
  copy("unwritable", new FileAsset(sourcePath("file")), "/proc/no-such-directory/file");
}

beforeAll(async () => {
  sshd = await startSshd();
  engine = createEngine();
  for (const directory of ["source", "remote"]) mkdirSync(join(engine.directory, directory));
  writeFileSync(sourcePath("file"), "x".repeat(LARGE_FILE_BYTES));
  writeFileSync(sourcePath("changed"), "first");
  stack = await engine.stack("copy", program);
});

afterAll(async () => {
  await sshd?.stop();
  engine?.dispose();
});

test("a preview copies nothing", async () => {
  await stack.preview();
  expect(existsSync(remotePath("file-copy"))).toBe(false);
});

test("files are copied", async () => {
  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  expect(readRemote("changed")).toBe("first");
  expect(readRemote("file-copy")).toBe("x".repeat(LARGE_FILE_BYTES));
  expect(engine.storedState("copy")).not.toContain("PRIVATE KEY");
});

test("changes are copied again, and nothing else", async () => {
  writeFileSync(sourcePath("changed"), "second");
  writeFileSync(remotePath("file-copy"), "changed on the host");
  writeFileSync(remotePath("triggered"), "changed on the host");
  settings = { ...settings, trigger: "2" };
  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  expect(up.steps("changed")).toEqual(["update"]);
  expect(readRemote("changed")).toBe("second");
  expect(up.steps("file")).toEqual(["same"]);
  expect(readRemote("file-copy")).toBe("changed on the host");
  expect(up.steps("triggered")).toContain("replace");
  expect(readRemote("triggered")).toBe("x".repeat(LARGE_FILE_BYTES));
});

test("an impossible copy names the obstacle", async () => {
  settings = { ...settings, also: "impossible" };
  const up = await observe((onEvent) => stack.up({ onEvent, continueOnError: true }));
  expect(up.failed).toBe(true);
  expect(up.messages("unwritable").join("\n")).toMatch(/failed to create .* \/proc\/no-such-directory\/file/);
});

test("an archive that is neither file nor directory is refused before anything is made", async () => {
  settings = { ...settings, also: "unsupported" };
  const preview = await observe((onEvent) => stack.preview({ onEvent }));
  expect(preview.failed).toBe(true);
  // Another version has a message of its own.
  const real = isWordedAs121() ? "archive must be a path to a file or directory" : "archive";
  const words = isStandIn() ? "copies file assets only" : real;
  expect(preview.messages("assets").join("\n")).toContain(words);
});

test("destroy leaves the copies on the host", async () => {
  await stack.destroy();
  expect(readRemote("changed")).toBe("second");
});
