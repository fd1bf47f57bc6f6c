/** Temporary files of a command that a signal ends at once. The signals that it takes are in `tests/lab/cli/`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { writeMadeUpLog } from "../bench/made-up-log.ts";
import { directoryOfTest } from "../helpers/temporary.ts";

const program = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

test.each(["SIGXCPU", "SIGALRM", "SIGKILL"] as const)(
  "the next command removes what %s leaves",
  async (signal) => {
    const directory = directoryOfTest();
    const temporary = join(directory, "temporary");
    mkdirSync(temporary);
    writeMadeUpLog(join(directory, "flows.log"), 20e6);
    const options = { cwd: directory, env: { ...process.env, TMPDIR: temporary } };
    const run = spawn(process.execPath, [program, "advise", "flows.log"], { ...options, stdio: "ignore" });
    const made = () => readdirSync(temporary, { recursive: true, encoding: "utf8" });
    while (!made().some((name) => name.endsWith("logs.duckdb")) && run.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    run.kill(signal);
    expect(await once(run, "exit")).toEqual([null, signal]);
    expect(made()).not.toEqual([]);
    const { status } = spawnSync(process.execPath, [program, "completion", "bash"], options);
    expect({ status, left: made() }).toEqual({ status: 0, left: [] });
  },
);
