import { readlinkSync } from "node:fs";
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

const ensure = () => project.parts(["pulumi-cli"], "ensure_pulumi_cli");
const link = () => readlinkSync(join(project.root, ".tools/bin/pulumi"));

/** Puts a Pulumi on PATH. */
function pulumiOnPath(version: string, { languageHost = true } = {}): void {
  project.program("pulumi", `echo ${version}`);
  if (languageHost) project.program("pulumi-language-nodejs", "true");
}

/** A go that builds; `build` runs before it writes its output. */
function go(build = "true"): void {
  project.program(
    "go",
    `case $1 in
      env) echo go1.26.0 ;;
      build) ${build}; while [[ $1 != -o ]]; do shift; done; printf '#!/bin/sh\\n' >"$2"; chmod 755 "$2" ;;
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
  ])("is left alone when it %s", (_, version, languageHost, message) => {
    pulumiOnPath(version, { languageHost });
    go();
    const { status, stderr } = ensure();
    expect(status).toBe(0);
    expect(stderr).toContain(message);
    expect(link()).toBe("../pulumi-3.250.0/pulumi");
  });
});

describe("a release that can be downloaded", () => {
  const name = "pulumi-v3.250.0-linux-arm64.tar.gz";

  beforeEach(() => {
    project.program("uname", "echo aarch64");
    project.file("release/pulumi/pulumi", "#!/bin/sh\n", 0o755);
    project.file("release/pulumi/pulumi-language-nodejs", "#!/bin/sh\n", 0o755);
    project.bash("tar -czf release.tar.gz -C release pulumi");
    project.program("curl", 'while [[ $1 != --output ]]; do shift; done; cp release.tar.gz "$2"');
  });

  it("is unpacked into the project when it is the one that is pinned", () => {
    const { stdout: sum } = project.bash("sha256sum <release.tar.gz");
    project.file("setup/checksums", `${sum.slice(0, 64)}  ${name}\n`);
    expect(ensure().status).toBe(0);
    expect(project.calls("curl")[0]).toMatch(new RegExp(`https://get\\.pulumi\\.com/releases/sdk/${name}$`));
    expect(project.exists(".tools/pulumi-3.250.0/pulumi-language-nodejs")).toBe(true);
    expect(project.exists(".tools/pulumi-3.250.0.partial")).toBe(false);
    expect(project.calls("go")).toEqual([]);
  });

  it("is not unpacked when it is another one: a build takes its place", () => {
    go();
    expect(ensure().status).toBe(0);
    expect(project.read(".tools/log/pulumi-download.log")).toMatch(
      new RegExp(`${name}: expected the SHA-256 deb4[0-9a-f]{60} \\(setup/checksums\\), got [0-9a-f]{64}`),
    );
    expect(project.calls("go").some((call) => call.startsWith("build"))).toBe(true);
  });
});

it("builds from the pinned modules where nothing can be downloaded, changing neither go.mod nor go.sum", () => {
  go();
  const { status, stdout } = ensure();
  expect(status).toBe(0);
  expect(stdout).toContain("no download (.tools/log/pulumi-download.log)");
  expect(stdout).toContain("building with go1.26.0");
  const builds = project.calls("go").filter((call) => call.startsWith("build"));
  expect(builds).toHaveLength(2);
  for (const build of builds) {
    expect(build).toContain("-mod=readonly");
    expect(build).toContain("version.Version=v3.250.0");
  }
  expect(project.exists(".tools/pulumi-3.250.0/pulumi-language-nodejs")).toBe(true);
});

it("hands Pulumi.yaml's runtime options to the language host that it builds", () => {
  go();
  ensure();
  project.file(".tools/pulumi-3.250.0/language-nodejs", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n", 0o755);
  const { stdout } = project.bash(".tools/pulumi-3.250.0/pulumi-language-nodejs 127.0.0.1:1234");
  expect(stdout.split("\n")).toEqual([
    "-typescript=false",
    "-nodeargs=--max-semi-space-size=2",
    "127.0.0.1:1234",
    "",
  ]);
});

it("does nothing the second time", () => {
  go();
  ensure();
  const calls = project.calls("go").length;
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("go")).toHaveLength(calls);
});

it("chooses again when the Pulumi it used has gone", () => {
  pulumiOnPath("v3.250.0");
  ensure();
  project.bash(`rm '${project.programs}/pulumi'`);
  go();
  expect(ensure().status).toBe(0);
  expect(link()).toBe("../pulumi-3.250.0/pulumi");
});

it("does not take an interrupted build for a finished one", () => {
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
])("names every way to get one when nothing can be downloaded and %s", (_, body, found) => {
  project.program("go", body);
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain("Pulumi 3.238.0 or later on PATH");
  expect(stderr).toContain("access to https://get.pulumi.com");
  expect(stderr).toContain("Go 1.25.11 or later");
  expect(stderr).toContain(`(found: ${found}`.replace("(found: go.mod", "(found: go: go.mod"));
});
