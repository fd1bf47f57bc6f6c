/** A program of Pulumi's, with shells as its language host and engine, that has work left when they are killed. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../helpers/temporary.ts";

const directory = temporaryDirectory();
const killedEngine = new URL("../../cli/pulumi/killed-engine.ts", import.meta.url).href;
const PROGRAM = `
import { endHostOfKilledEngine } from "${killedEngine}";
endHostOfKilledEngine();
setInterval(() => {}, 1000);
console.log(process.ppid, process.pid);`;

test.each([
  ["its engine", 1],
  ["its engine and its language host", 2],
])("the program ends with %s, and leaves no language host", async (_, killed) => {
  const host = `${directory}/pulumi-language-shell`;
  writeFileSync(host, '#!/bin/sh\n"$@" &\nwait\n', { mode: 0o755 });
  const words = [host, process.execPath, "--input-type=module", "-e", PROGRAM];
  const engine = spawn("sh", ["-c", '"$@"; :', "sh", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(engine.stdout, "data")) as [Buffer];
  const below = said.toString().trim().split(" ").map(Number);
  onTestFinished(
    () => void execFileSync("sh", ["-c", "kill -9 $0 $1 2>/dev/null || :", ...below.map(String)]),
  );
  for (const pid of [engine.pid as number, ...below].slice(0, killed)) process.kill(pid, "SIGKILL");
  await expect.poll(() => below.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});
