/** The end of `egress-bench nat image` in the middle of its work. The program that makes Debian's root is one that waits. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../helpers/temporary.ts";

const directory = temporaryDirectory();
const program = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const programs = join(directory, "programs");
mkdirSync(programs);
writeFileSync(join(programs, "mmdebstrap"), '#!/bin/sh\necho $$ >"$PID_FILE"\nexec sleep 1000\n', {
  mode: 0o755,
});

test.runIf(process.getuid?.() === 0).each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)(
  "%s to the command alone ends the work, and removes what was made so far",
  async (signal) => {
    const out = join(directory, signal);
    mkdirSync(out);
    const pidFile = join(directory, `${signal}.pid`);
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, PID_FILE: pidFile, TMPDIR: out };
    const command = spawn(process.execPath, [program, "nat", "image", "--out", join(out, "nat.raw")], {
      env,
      stdio: "ignore",
    });
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+\n$/);
    const work = `/proc/${readFileSync(pidFile, "utf8").trim()}`;
    expect(existsSync(work)).toBe(true);
    command.kill(signal);
    await expect.poll(() => [existsSync(work), readdirSync(out)]).toEqual([false, []]);
  },
);
