import { chownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file(".tools/bin/pulumi", "#!/bin/sh\n", 0o755);
  project.file(".egress-bench/passphrase", "secret\n");
});
afterEach(() => project.dispose());

/** The two ways in, which must give the same environment. */
const ways = {
  "with-tools.sh": "bash setup/with-tools.sh env -0",
  "activate in bash": ". setup/activate && env -0",
  "activate in sh": "sh -c '. setup/activate && env -0'",
};

function environment(command: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { status, stdout, stderr } = project.bash(command, { env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const pairs = stdout.split("\0").filter((line) => line !== "");
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

describe.each(Object.entries(ways))("%s", (_, command) => {
  it("puts the project's tools first and uses its own Pulumi home, state and passphrase", () => {
    const env = environment(command);
    const path = env.PATH?.split(":") ?? [];
    expect(path.slice(0, 2)).toEqual([`${project.root}/node_modules/.bin`, `${project.root}/.tools/bin`]);
    expect(path).toContain("/usr/sbin");
    expect(env).toMatchObject({
      PULUMI_HOME: `${project.root}/.tools/pulumi-home`,
      PULUMI_BACKEND_URL: `file://${project.root}/.egress-bench/state`,
      PULUMI_CONFIG_PASSPHRASE_FILE: `${project.root}/.egress-bench/passphrase`,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
      PULUMI_OPTION_SKIP_PLUGIN_PRE_INSTALL: "true",
      PULUMI_OPTION_SUPPRESS_OUTPUTS: "true",
      NODE_COMPILE_CACHE: `${project.root}/.tools/compile-cache`,
      HOME: project.home,
    });
  });

  it("puts them first again after another Pulumi came before them", () => {
    const activated = `${project.root}/node_modules/.bin:${project.root}/.tools/bin:/usr/bin:/bin`;
    const path = environment(command, { PATH: `/other/pulumi:${activated}` }).PATH?.split(":") ?? [];
    expect(path.slice(0, 2)).toEqual([`${project.root}/node_modules/.bin`, `${project.root}/.tools/bin`]);
    expect(path[2]).toBe("/other/pulumi");
    expect(environment(command, { PATH: activated }).PATH).toBe(activated);
  });

  it("drops an SSH agent, which may be stale", () => {
    expect(environment(command, { SSH_AUTH_SOCK: "/gone" })).not.toHaveProperty("SSH_AUTH_SOCK");
  });

  it("lets a user see all outputs, and keeps the user's own compile cache", () => {
    const own = { PULUMI_OPTION_SUPPRESS_OUTPUTS: "false", NODE_COMPILE_CACHE: "/mine" };
    expect(environment(command, own)).toMatchObject(own);
  });

  it("leaves a user's own backend alone, and sets no passphrase for it", () => {
    const env = environment(command, { PULUMI_BACKEND_URL: "s3://mine" });
    expect(env.PULUMI_BACKEND_URL).toBe("s3://mine");
    expect(env).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
  });

  it.each([
    { PULUMI_CONFIG_PASSPHRASE: "mine" },
    { PULUMI_CONFIG_PASSPHRASE: "" },
    { PULUMI_CONFIG_PASSPHRASE_FILE: "/mine" },
  ])("keeps a user's own passphrase: %j", (own) => {
    const env = environment(command, own);
    expect(env).toMatchObject(own);
    expect(Object.keys(env).filter((name) => name.startsWith("PULUMI_CONFIG_PASSPHRASE"))).toEqual(
      Object.keys(own),
    );
  });

  it("adds nothing to PATH the second time", () => {
    const once = environment(command);
    expect(environment(command, { PATH: once.PATH ?? "" }).PATH).toBe(once.PATH);
  });

  it("leaves the home directory empty", () => {
    environment(command);
    expect(readdirSync(project.home)).toEqual([]);
  });
});

describe("with-tools.sh", () => {
  it("passes arguments unchanged, and the command's status", () => {
    const script = `bash setup/with-tools.sh bash -c 'printf "[%s]" "$@"; exit 3' - 'a b' '' '*'`;
    expect(project.bash(script)).toEqual({ status: 3, stdout: "[a b][][*]", stderr: "" });
  });

  it("works from any directory", () => {
    const { stdout } = project.bash('cd / && bash "$OLDPWD/setup/with-tools.sh" pwd');
    expect(stdout).toBe("/\n");
  });

  it.runIf(process.getuid?.() === 0)(
    "as root in a user's clone, leaves no root-owned file, and passes the status",
    () => {
      chownSync(project.root, 1234, 1234);
      const script =
        "bash setup/with-tools.sh sh -c 'touch .egress-bench/new; mkdir out; touch out/new; exit 3'";
      expect(project.bash(script).status).toBe(3);
      for (const path of [".egress-bench/new", "out", "out/new"]) {
        expect({ path, uid: statSync(join(project.root, path)).uid }).toEqual({ path, uid: 1234 });
      }
    },
  );

  it.each(["with-tools.sh true", "setup.sh --cloud"])("names a missing TMPDIR: %s", (line) => {
    const env = { TMPDIR: "/proc/none" };
    expect(project.bash(`bash setup/${line}`, { env })).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "setup: error: temporary files cannot be written to /proc/none, which TMPDIR names.\n" +
        "setup:   Make that directory, or name another one: TMPDIR=/var/tmp\n",
    });
  });

  it("asks for a command", () => {
    const { status, stderr } = project.bash("bash setup/with-tools.sh");
    expect(status).toBe(1);
    expect(stderr).toContain("Usage: bash setup/with-tools.sh <command>");
  });

  it("names the command to run if nothing is set up", () => {
    project.bash("rm -r .tools");
    const { status, stderr } = project.bash("bash setup/with-tools.sh true");
    expect(status).toBe(1);
    expect(stderr).toBe("setup: error: the tools are not set up.\nsetup:   Run: npm run setup\n");
  });
});

it("activate outside the project changes nothing and names its place", () => {
  const { stdout, stderr } = project.bash(
    'cd / && . "$OLDPWD/setup/activate"; echo "$PATH" && env | grep -c PULUMI',
  );
  expect(stdout).toBe(`${project.programs}:/usr/bin:/bin\n0\n`);
  expect(stderr).toContain("expected the project's directory after 'npm run setup', found neither in /");
});
