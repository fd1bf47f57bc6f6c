/**
 * CopyToRemote through the real engine. The remote host is this machine, so that copies can be inspected; each test is one
 * update of the same stack.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observe } from "../../helpers/engine-events.ts";
import { createEngine, type Engine, isWordedAs121 } from "../../helpers/pulumi.ts";
import { type Sshd, startSshd } from "../../helpers/sshd.ts";

const LARGE_FILE_BYTES = 1_000_000;

let engine: Engine;
let sshd: Sshd;
let stack: Stack;
/** Settings that the program below reads anew in every operation. */
let settings = { text: "first", trigger: "1", also: "nothing" as "nothing" | "impossible" | "unsupported" };

const sourcePath = (...names: string[]) => join(engine.directory, "source", ...names);
const remotePath = (...names: string[]) => join(engine.directory, "remote", ...names);
const readRemote = (...names: string[]) => readFileSync(remotePath(...names), "utf8");

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
  const { FileArchive, FileAsset, StringAsset } = pulumi.asset;
  copy("text", new StringAsset(settings.text), remotePath("new", "directory", "text"));
  copy("triggered", new StringAsset("same"), remotePath("triggered"), settings.trigger);
  copy("file", new FileAsset(sourcePath("file")), remotePath("file-copy"));
  copy("file-into-directory", new FileAsset(sourcePath("file")), remotePath("existing"));
  copy("tree", new FileArchive(sourcePath("tree")), remotePath("tree-copy"));
  copy("tree-content", new FileArchive(`${sourcePath("tree")}/`), remotePath("content-copy"));
  if (settings.also === "unsupported") {
    copy("assets", new pulumi.asset.AssetArchive({ a: new StringAsset("x") }), remotePath("assets"));
  }
  if (settings.also !== "impossible") return;
  copy("text-onto-directory", new StringAsset("x"), remotePath("existing"));
  copy("tree-onto-file", new FileArchive(`${sourcePath("tree")}/`), remotePath("file-copy"));
  copy("unwritable", new StringAsset("x"), "/proc/no-such-directory/file");
}

beforeAll(async () => {
  sshd = await startSshd();
  engine = createEngine();
  mkdirSync(sourcePath("tree", "branch", "empty"), { recursive: true });
  mkdirSync(remotePath("existing"), { recursive: true });
  writeFileSync(sourcePath("file"), "file 1");
  writeFileSync(sourcePath("tree", "root"), "root 1");
  writeFileSync(sourcePath("tree", "branch", "leaf"), "x".repeat(LARGE_FILE_BYTES));
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

test("texts, files and directories are copied, with the directories above them", async () => {
  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  expect(readRemote("new", "directory", "text")).toBe("first");
  expect(readRemote("file-copy")).toBe("file 1");
  expect(readRemote("existing", "file")).toBe("file 1");
  expect(readRemote("tree-copy", "tree", "root")).toBe("root 1");
  expect(readRemote("tree-copy", "tree", "branch", "leaf")).toBe("x".repeat(LARGE_FILE_BYTES));
  expect(readRemote("content-copy", "root")).toBe("root 1");
  expect(statSync(remotePath("content-copy", "branch", "empty")).isDirectory()).toBe(true);
  expect(engine.storedState("copy")).not.toContain("PRIVATE KEY");
});

test("changes are copied again, and nothing else", async () => {
  writeFileSync(sourcePath("tree", "root"), "2");
  writeFileSync(remotePath("file-copy"), "changed on the host");
  writeFileSync(remotePath("triggered"), "changed on the host");
  settings = { ...settings, text: "second", trigger: "2" };
  const up = await observe((onEvent) => stack.up({ onEvent }));
  expect(up.failureText).toBe("");
  expect(up.steps("text")).toEqual(["update"]);
  expect(readRemote("new", "directory", "text")).toBe("second");
  expect(up.steps("tree")).toEqual(["update"]);
  expect(readRemote("tree-copy", "tree", "root")).toBe("2");
  expect(readRemote("content-copy", "root")).toBe("2");
  expect(up.steps("file")).toEqual(["same"]);
  expect(readRemote("file-copy")).toBe("changed on the host");
  expect(up.steps("triggered")).toContain("replace");
  expect(readRemote("triggered")).toBe("same");
});

test("an impossible copy names the obstacle", async () => {
  settings = { ...settings, also: "impossible" };
  const up = await observe((onEvent) => stack.up({ onEvent, continueOnError: true }));
  expect(up.failed).toBe(true);
  const said = (resource: string) => up.messages(resource).join("\n");
  expect(said("text-onto-directory")).toContain(
    `remote path ${remotePath("existing")} is a directory; when using a text asset, remotePath must be a file path`,
  );
  expect(said("tree-onto-file")).toContain(
    `remote path ${remotePath("file-copy")} exists but is not a directory`,
  );
  expect(said("unwritable")).toContain(
    "failed to create parent directories for /proc/no-such-directory/file",
  );
});

test("an archive that is neither file nor directory is refused before anything is made", async () => {
  settings = { ...settings, also: "unsupported" };
  const preview = await observe((onEvent) => stack.preview({ onEvent }));
  expect(preview.failed).toBe(true);
  // Another version has a message of its own.
  const words = isWordedAs121() ? "archive must be a path to a file or directory" : "archive";
  expect(preview.messages("assets").join("\n")).toContain(words);
});

test("destroy leaves the copies on the host", async () => {
  await stack.destroy();
  expect(readRemote("new", "directory", "text")).toBe("second");
});
