import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

const INSTALL = "install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error";
const REBUILD = "rebuild node --ignore-scripts=false";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("package-lock.json", "{}");
  const past = new Date(Date.now() - 60_000);
  utimesSync(join(project.root, "package-lock.json"), past, past);
  project.program("node", "echo v18.19.0");
  npm('echo v24 >"$bin/node"; chmod 755 "$bin/node"');
});
afterEach(() => project.dispose());

/** A stand-in for npm: `install` writes what npm's does, `rebuild node` does `rebuild`. */
function npm(rebuild: string, install = "echo {} >node_modules/.package-lock.json"): void {
  project.program(
    "npm",
    `bin=node_modules/.bin; mkdir -p "$bin"; case $1 in install) ${install} ;; rebuild) ${rebuild} ;; esac`,
  );
}

const ensure = (env: Readonly<Record<string, string>> = {}) =>
  project.parts(["node"], "ensure_node_modules", { env });

it("installs the pinned packages, without their install scripts but Node's", () => {
  const { status, stdout } = ensure();
  expect(status).toBe(0);
  expect(project.calls("npm")).toEqual([INSTALL, REBUILD]);
  expect(stdout).toContain("npm packages: installing");
  expect(stdout).toContain("Node: installing the version in package.json, for the packages need 22.18.0");
});

it("does nothing the second time, and says nothing", () => {
  ensure();
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("npm")).toHaveLength(2);
});

it("installs again when package-lock.json has changed since", () => {
  ensure();
  const future = new Date(Date.now() + 60_000);
  utimesSync(join(project.root, "package-lock.json"), future, future);
  expect(ensure().status).toBe(0);
  expect(project.calls("npm")).toEqual([INSTALL, REBUILD, INSTALL, REBUILD]);
});

it("repairs an installation by hand that blocked Node's install script", () => {
  project.file("node_modules/.package-lock.json", "{}");
  expect(ensure().status).toBe(0);
  expect(project.calls("npm")).toEqual([REBUILD]);
});

it("does not run npm on the Node that npm may replace", () => {
  project.file("node_modules/.bin/npm", "#!/bin/sh\nexit 9\n", 0o755);
  const path = `${project.root}/node_modules/.bin:${project.programs}:/usr/bin:/bin`;
  expect(ensure({ PATH: path }).status).toBe(0);
});

describe("where the npm package brings no Node for this processor", () => {
  beforeEach(() => npm("echo unsupported; exit 1"));

  it("goes on with the machine's own when that is new enough", () => {
    project.program("node", "echo v22.18.0");
    expect(ensure().status).toBe(0);
    expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("stops when that is too old, and tells both versions, why, and what to do", () => {
    const { status, stderr } = ensure();
    expect(status).toBe(1);
    expect(stderr).toContain("| unsupported");
    expect(stderr).toContain("Node 22.18.0 or later is needed; this machine has v18.19.0,");
    expect(stderr).toContain("Install it from https://nodejs.org");
  });
});

it("shows npm's own error when the packages cannot be installed, and does not go on", () => {
  npm("true", "echo ENOTFOUND registry; exit 1");
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain("| ENOTFOUND registry");
  expect(stderr).toContain("Is the npm registry reachable?");
  expect(project.calls("npm")).toEqual([INSTALL]);
});
