import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("package.json", "{}");
  project.program("curl", "echo 'curl: (6) Could not resolve host' >&2; exit 6");
  project.program("go", "exit 1");
});
afterEach(() => project.dispose());

const ensure = () => project.parts(["pulumi-cli"], "PULUMI_OPTION_PARALLEL=x ensure_pulumi_cli");
const link = () => readlinkSync(join(project.root, ".tools/bin/pulumi"));

function pulumiOnPath(version: string, { languageHost = true } = {}): void {
  // It ends in a panic at a number of a person's own that it cannot read.
  project.program("pulumi", `[[ -z \${PULUMI_OPTION_PARALLEL:-} ]] && echo ${version}`);
  if (languageHost) project.program("pulumi-language-nodejs", "true");
}

/** A go that builds; `build` runs before its output is written. */
function go(build = "true"): void {
  project.program(
    "go",
    `case "$*" in
      "env GOVERSION") echo go1.26.0 ;;
      env*) echo "$HOME/$2" ;;
      build*) ${build}; while [[ $1 != -o ]]; do shift; done; printf '#!/bin/sh\\n' >"$2"; chmod 755 "$2" ;;
    esac`,
  );
}

describe("a Pulumi on PATH", () => {
  it.each(["v3.238.0", "v3.250.0", "v4.1.0"])("is used when it is new enough: %s", (version) => {
    pulumiOnPath(version);
    const { status, stdout } = ensure();
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `setup: Pulumi CLI: using ${project.programs}/pulumi\n`,
    });
    expect(link()).toBe(`${project.programs}/pulumi`);
    expect(project.calls("curl")).toEqual([]);
  });

  it.each([
    ["is too old", "v3.237.9", true, "is v3.237.9, older than 3.238.0; leaving it alone"],
    ["has no language host", "v3.250.0", false, "has no pulumi-language-nodejs beside it; leaving it alone"],
  ])("is not used when it %s", (_, version, languageHost, message) => {
    pulumiOnPath(version, { languageHost });
    go();
    const { status, stderr } = ensure();
    expect(status).toBe(0);
    expect(stderr).toContain(message);
    expect(link()).toBe("../pulumi-3.250.0/pulumi");
  });
});

describe("a downloadable release", () => {
  const name = "pulumi-v3.250.0-linux-arm64.tar.gz";

  beforeEach(() => {
    project.program("uname", "echo aarch64");
    project.file("release/pulumi/pulumi", "#!/bin/sh\n", 0o755);
    project.file("release/pulumi/pulumi-language-nodejs", "#!/bin/sh\n", 0o755);
    project.bash("tar -czf release.tar.gz -C release pulumi");
    project.program("curl", 'while [[ $1 != --output ]]; do shift; done; cp release.tar.gz "$2"');
  });

  it("is unpacked into the project if it is the pinned one", () => {
    const { stdout: sum } = project.bash("sha256sum <release.tar.gz");
    project.file("setup/checksums", `${sum.slice(0, 64)}  ${name}\n`);
    expect(ensure().status).toBe(0);
    expect(project.calls("curl")[0]).toMatch(new RegExp(`https://get\\.pulumi\\.com/releases/sdk/${name}$`));
    expect(project.exists(".tools/pulumi-3.250.0/pulumi-language-nodejs")).toBe(true);
    expect(project.exists(".tools/pulumi-3.250.0.partial")).toBe(false);
    expect(project.calls("go")).toEqual([]);
  });

  it("is not unpacked if it is another one: a build replaces it", () => {
    go();
    expect(ensure().status).toBe(0);
    expect(project.read(".tools/log/pulumi-download.log")).toMatch(
      new RegExp(`${name}: expected the SHA-256 deb4[0-9a-f]{60} \\(setup/checksums\\), got [0-9a-f]{64}`),
    );
    expect(project.calls("go").some((call) => call.startsWith("build"))).toBe(true);
  });
});

it("builds from the pinned modules without downloads, changing neither go.mod nor go.sum", () => {
  go();
  const { status, stdout } = ensure();
  expect(status).toBe(0);
  expect(stdout).toContain("no download (.tools/log/pulumi-download.log)");
  expect(stdout).toContain("building with go1.26.0");
  const builds = project.calls("go").filter((call) => call.startsWith("build"));
  expect(builds).toHaveLength(2);
  expect(builds.map((build) => /-mod=\w+/.exec(build)?.[0]).sort()).toEqual(["-mod=readonly", "-mod=vendor"]);
  for (const build of builds) {
    expect(build).toContain("version.Version=v3.250.0");
  }
  expect(project.exists(".tools/pulumi-3.250.0/pulumi-language-nodejs")).toBe(true);
});

describe("the language host that it builds", () => {
  const NODE_OPTIONS = "-nodeargs=--max-semi-space-size=2";
  const OTHERS = [
    [
      "a project of YAML lines",
      "runtime:\n  name: nodejs\n  options:\n    typescript: false\n",
      ["-typescript=false"],
    ],
    [
      "one in braces",
      "runtime: {name: nodejs, options: {typescript: false, nodeargs: '--a=1 --b'}}\n",
      ["-typescript=false", "-nodeargs=--a=1 --b"],
    ],
    ["one with TypeScript, like the templates", "name: x\nruntime: nodejs\n# typescript: false\n", []],
    ["none", null, []],
  ] as const;
  beforeEach(() => {
    go();
    ensure();
    project.file(".tools/pulumi-3.250.0/language-nodejs", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n", 0o755);
  });
  const given = (directory: string) =>
    project
      .bash(
        `cd '${directory}' && '${project.root}/.tools/pulumi-3.250.0/pulumi-language-nodejs' 127.0.0.1:1234`,
      )
      .stdout.trim()
      .split("\n")
      .sort();

  it("gets this project's runtime options, even from a subdirectory", () => {
    project.file("stacks/.keep", "");
    for (const directory of [project.root, `${project.root}/stacks`]) {
      expect(given(directory)).toEqual(["-typescript=false", NODE_OPTIONS, "127.0.0.1:1234"].sort());
    }
  });

  it.each(OTHERS)("gets the options of another project on the same PATH: %s", (_, yaml, options) => {
    if (yaml !== null) writeFileSync(join(project.home, "Pulumi.yaml"), yaml);
    expect(given(project.home)).toEqual([...options, "127.0.0.1:1234"].sort());
  });
});

it("has Go keep modules and objects in the project with a read-only home", () => {
  go('echo "$GOPATH $GOCACHE"');
  const env = { HOME: "/proc/none" };
  const { status, stdout } = project.parts(["pulumi-cli"], "ensure_pulumi_cli", { env });
  expect(status).toBe(0);
  expect(stdout).toContain("/proc/none/GOPATH cannot be written: GOPATH is .tools/cache/GOPATH until set-up");
  expect(stdout).toContain("not kept for other clones");
  const cache = `${project.root}/.tools/cache`;
  expect(project.read(".tools/log/pulumi-build.log")).toContain(`${cache}/GOPATH ${cache}/GOCACHE`);
});

describe("the user's cache", () => {
  const cached = () => readdirSync(join(project.home, ".cache/egress-bench"));
  const builds = () => project.calls("go").filter((call) => call.startsWith("build"));
  const anew = () => project.bash("rm -r .tools");
  beforeEach(() => {
    go();
    expect(ensure().status).toBe(0);
  });

  it("saves a second clone the build", () => {
    anew();
    expect(cached()).toEqual([expect.stringMatching(/^pulumi-3\.250\.0-linux-\w+-[0-9a-f]{16}$/)]);
    const { status, stdout } = ensure();
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining("taking the build of an earlier set-up"),
    });
    expect(builds()).toHaveLength(2);
    expect(project.exists(".tools/pulumi-3.250.0/language-nodejs")).toBe(true);
  });

  it("is not used for other modules", () => {
    anew();
    project.bash("echo '// new' >>setup/pulumi/cli/go.mod");
    ensure();
    expect(builds()).toHaveLength(4);
    expect(cached()).toHaveLength(2);
  });

  it("is not used when its content has changed", () => {
    anew();
    project.bash('echo "evil" >"$HOME"/.cache/egress-bench/*/pulumi');
    expect(ensure().status).toBe(0);
    expect(builds()).toHaveLength(4);
    anew();
    expect(ensure().stdout).toContain("taking the build of an earlier set-up");
  });

  it("may be in another place, or missing", () => {
    anew();
    const shell = (env: Record<string, string>) =>
      project.parts(["pulumi-cli"], "ensure_pulumi_cli", { env });
    expect(shell({ XDG_CACHE_HOME: `${project.root}/cache` }).status).toBe(0);
    expect(project.exists("cache/egress-bench")).toBe(true);
    anew();
    const { status, stdout } = shell({ XDG_CACHE_HOME: "/proc/none" });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining("not kept for other clones"),
    });
  });
});

it("builds both parts at once, and reports its progress", () => {
  // Each waits for the other, so a sequence would never end.
  go(
    'touch "$HOME/at-work-$(basename "$PWD")"; until [[ -e $HOME/at-work-pulumi-source && -e $HOME/at-work-language-nodejs ]]; do sleep 0.05; done',
  );
  expect(ensure().status).toBe(0);
  const remark = (script: string) =>
    project.parts(
      ["pulumi-cli"],
      `BUILD_LOG=$TOOLS/log/b; printf 'a\\nb\\nc\\nd\\n' >"$BUILD_LOG-x.list"; ${script}; build_remark 30`,
    ).stdout;
  expect(remark(`printf 'go: downloading x\\na\\n' >"$BUILD_LOG-x.log"`)).toBe(
    ", 1 of 4 packages, about 90 s left",
  );
  expect(remark(`printf 'a\\nb\\nc\\nd\\n' >"$BUILD_LOG-x.log"`)).toBe(", linking");
  expect(remark(`: >"$BUILD_LOG-x.log"`)).toBe("");
});

it("does nothing the second time", () => {
  go();
  ensure();
  const calls = project.calls("go").length;
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("go")).toHaveLength(calls);
});

it("chooses again when its Pulumi is gone", () => {
  pulumiOnPath("v3.250.0");
  ensure();
  project.bash(`rm '${project.programs}/pulumi'`);
  go();
  expect(ensure().status).toBe(0);
  expect(link()).toBe("../pulumi-3.250.0/pulumi");
});

it("does not use an interrupted build", () => {
  go("kill -KILL $PPID; exit 1");
  expect(ensure().status).not.toBe(0);
  expect(project.exists(".tools/pulumi-3.250.0")).toBe(false);
  go();
  expect(ensure().status).toBe(0);
  expect(project.exists(".tools/pulumi-3.250.0/pulumi")).toBe(true);
});

it("shows Go's own error when the build fails", () => {
  go("echo 'dial tcp: no route to host'; exit 1");
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain("| dial tcp: no route to host");
  expect(stderr).toContain("Is the Go module proxy reachable?");
});

it.each([
  ["there is no Go", "exec 2>&1; echo 'go: command not found'; exit 127", "go: command not found"],
  ["Go is too old", "echo 'go: go.mod requires go >= 1.25.11' >&2; exit 1", "go.mod requires go >= 1.25.11"],
])("names every way to get one without downloads when %s", (_, body, found) => {
  project.program("go", body);
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain("Pulumi 3.238.0 or later on PATH");
  expect(stderr).toContain("access to https://get.pulumi.com");
  expect(stderr).toContain("Go 1.25.11 or later");
  expect(stderr).toContain(`(found: ${found}`.replace("(found: go.mod", "(found: go: go.mod"));
});
