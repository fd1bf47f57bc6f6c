import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

const PLUGIN = ".tools/pulumi-home/plugins/resource-command-v1.2.1/pulumi-resource-command";
const program = (says: string) => `#!/bin/sh\necho ${says} "$@"\n`;

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("tools/command-standin/pulumi-resource-command", program("stand-in"), 0o755);
  project.file("own/pulumi-resource-command", program("own"), 0o755);
  pulumi("echo 'error: no such host'; exit 1");
  project.program("go", "exit 1");
});
afterEach(() => project.dispose());

/** The project's Pulumi; `install` is the text of its `plugin install`. */
function pulumi(install: string): void {
  project.program("pulumi", install);
  project.file(".tools/bin/pulumi", `#!/bin/sh\nexec '${project.programs}/pulumi' "$@"\n`, 0o755);
}

const ensure = (env: Readonly<Record<string, string>> = {}) =>
  project.parts(["pulumi-cli", "command-plugin"], "ensure_command_plugin", { env });
const ensureOwn = () => ensure({ EGRESS_BENCH_COMMAND_PLUGIN: "own/pulumi-resource-command" });
const installed = () => project.bash(`${PLUGIN} '127.0.0.1:1 x'`).stdout;

it("installs the real one if it can be downloaded", () => {
  pulumi(`mkdir -p "\${0%/*}" && cd '${project.root}' && mkdir -p "$(dirname ${PLUGIN})" &&
    printf '#!/bin/sh\\necho real\\n' >${PLUGIN} && chmod 755 ${PLUGIN}`);
  const { status, stdout } = ensure();
  expect(status).toBe(0);
  expect(stdout).not.toContain("STAND-IN");
  expect(project.calls("pulumi")).toEqual(["plugin install resource command v1.2.1"]);
  expect(installed()).toBe("real\n");
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
});

it.each([
  ["the archive that setup/checksums pins", "archive", "--file"],
  ["no other", "another archive", null],
])("installs %s", (_, served, option) => {
  const sum = createHash("sha256").update("archive").digest("hex");
  const archive = `pulumi-resource-command-v1.2.1-linux-${process.arch === "x64" ? "amd64" : "arm64"}.tar.gz`;
  project.file("setup/checksums", `${sum}  ${archive}\n`);
  project.program("curl", `while [ "$1" != --output ]; do shift; done; printf '%s' '${served}' > "$2"`);
  expect(ensure().stdout).toContain("OFFLINE STAND-IN");
  expect(project.calls("curl")[0]).toContain(` https://get.pulumi.com/releases/plugins/${archive}`);
  const file = `${project.root}/.tools/${archive}`;
  expect(project.calls("pulumi")).toEqual(
    option === null ? [] : [`plugin install resource command v1.2.1 ${option} ${file}`],
  );
});

/** A Go whose proxy has that version as the newest. @param sums The checksum database in use. */
const go = (newest: string, sums = "sum.golang.org") =>
  project.program(
    "go",
    `case "$*" in
    "env GOSUMDB") echo ${sums} ;;
    env*) echo "$HOME/$2" ;;
    list*) echo ${newest} ;;
    *) [ -z "$GONOSUMDB$GOPRIVATE$GOINSECURE$GOFLAGS" ] && mkdir -p "$GOBIN" && cd "$GOBIN" &&
      printf '#!/bin/sh\\necho built\\n' >pulumi-resource-command && chmod 755 pulumi-resource-command ;;
    esac`,
  );

it("builds the next tag from the Go module proxy first, with the checksum database, and once", () => {
  go("v1.2.2");
  const { status, stdout } = ensure({ GOPRIVATE: "github.com/pulumi", GOFLAGS: "-insecure" });
  expect(status).toBe(0);
  expect(stdout).toContain("command plugin v1.2.2: building it");
  expect(project.calls("go").at(-1)).toMatch(
    /^install .*Version=1\.2\.2 github\.com\/pulumi\/pulumi-command\/provider\/cmd\/pulumi-resource-command@v1\.2\.2$/,
  );
  expect(installed()).toBe("built\n");
  expect(project.calls("pulumi")).toEqual([]);
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
});

it.each([
  ["there is no tag after v1.2.1, whose sources are in another place", "v1.2.1", "sum.golang.org"],
  ["the checksum database is turned off", "v1.2.2", "off"],
])("builds none where %s", (_, newest, sums) => {
  go(newest, sums);
  expect(ensure().stdout).toContain("OFFLINE STAND-IN");
  expect(project.calls("go").filter((call) => call.startsWith("install"))).toEqual([]);
  expect(project.calls("pulumi")).toHaveLength(1);
});

it("installs the stand-in without downloads, and reports it", () => {
  const { status, stdout } = ensure();
  expect(status).toBe(0);
  expect(stdout).toContain("OFFLINE STAND-IN tools/command-standin is in use");
  expect(installed()).toBe("stand-in 127.0.0.1:1 x\n");
});

it("does not try the download again the second time", () => {
  ensure();
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("pulumi")).toHaveLength(1);
});

it("switches to your own provider, and back", () => {
  ensure();
  expect(ensureOwn().stdout).toContain(`using ${project.root}/own/pulumi-resource-command`);
  expect(installed()).toBe("own 127.0.0.1:1 x\n");
  expect(ensureOwn()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(ensure().stdout).toContain("STAND-IN");
  expect(installed()).toBe("stand-in 127.0.0.1:1 x\n");
});

it("still works after the project has moved", () => {
  ensure();
  const moved = `${project.root} elsewhere`;
  project.bash(`mv "$PWD" '${moved}' && mkdir "$PWD"`);
  const { stdout } = project.bash(
    `cd '${moved}' && ROOT=$PWD && for part in lib pulumi-cli command-plugin; do . "setup/$part.sh"; done &&
      ensure_command_plugin >/dev/null && ${PLUGIN}`,
  );
  expect(stdout).toBe("stand-in\n");
  project.bash(`rmdir "$PWD" && mv '${moved}' "$PWD"`);
});

it.each([
  ["is missing", "own/none"],
  ["is not executable", "package.json"],
  ["is a directory", "own"],
])("refuses your own provider that %s, and keeps the installed one", (_, path) => {
  project.file("package.json", "{}");
  ensure();
  const { status, stderr } = ensure({ EGRESS_BENCH_COMMAND_PLUGIN: path });
  expect(status).toBe(1);
  expect(stderr).toContain(`EGRESS_BENCH_COMMAND_PLUGIN is not an executable file: ${path}`);
  expect(installed()).toBe("stand-in 127.0.0.1:1 x\n");
});
