import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SETUP = fileURLToPath(new URL("../../setup", import.meta.url));

interface ShellOptions {
  /** Variables in addition to PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** User and group to run as, instead of the tests' own; needs root. */
  readonly uid?: number;
}

/** A temporary project with only the real setup/, a home, and programs in front of PATH. */
export type SetupProject = ReturnType<typeof createSetupProject>;

/**
 * A harmless message of bash 5.2 when a process gets an earlier child's pid, on a machine that starts tens of thousands of
 * processes within minutes.
 */
const BASH_NOTE = /^\S+: line \d+: wait_for: No record of process \d+\n/gm;

/** @param name Name of the directory; its space tests the quoting. */
export function createSetupProject(name = "a project") {
  const temporary = mkdtempSync(join(tmpdir(), "egress-bench-setup-"));
  const root = join(temporary, name);
  const home = join(temporary, "home");
  const programs = join(temporary, "programs");
  for (const directory of [root, home, programs]) mkdirSync(directory);
  cpSync(SETUP, join(root, "setup"), { recursive: true });
  cpSync(join(SETUP, "../Pulumi.yaml"), join(root, "Pulumi.yaml"));

  const write = (path: string, content: string, mode: number) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
    return path;
  };
  const log = (program: string) => join(temporary, `${program}.calls`);
  const bash = (
    script: string,
    { env = {}, uid }: ShellOptions = {},
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } => {
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", script], {
      cwd: root,
      encoding: "utf8",
      env: { CDPATH: ".", HOME: home, PATH: `${programs}:/usr/bin:/bin`, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    return { status, stdout, stderr: stderr.replace(BASH_NOTE, "") };
  };
  return {
    root,
    home,
    /** Directory of `program`'s programs: the first entry of PATH. */
    programs,
    /** Runs bash in the project's root. */
    bash,
    /** Writes a file below the project's root and returns its path. */
    file: (path: string, content: string, mode = 0o644) => write(join(root, path), content, mode),
    read: (path: string) => readFileSync(join(root, path), "utf8"),
    exists: (path: string) => existsSync(join(root, path)),
    /** Puts a shell script in front of PATH, which logs its arguments and then runs `body`. */
    program: (program: string, body: string) =>
      write(join(programs, program), `#!/bin/bash\necho "$*" >>'${log(program)}'\n${body}\n`, 0o755),
    /** The arguments of each call of a program so far. */
    calls: (program: string) =>
      existsSync(log(program)) ? readFileSync(log(program), "utf8").split("\n").slice(0, -1) : [],
    /** Runs bash with the named parts of setup/ sourced, like setup.sh. */
    parts: (names: readonly string[], script: string, options?: ShellOptions) =>
      bash(
        `set -euo pipefail; ROOT=$PWD; for part in lib ${names.join(" ")}; do . "setup/$part.sh"; done; ${script}`,
        options,
      ),
    dispose: () => rmSync(temporary, { recursive: true, force: true }),
  };
}
