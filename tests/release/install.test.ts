/**
 * How to install the package while it is not on the npm registry, as the documents write it, and its release by
 * docs/examples/release.yml. Cloning and `npm ci` give what is here, `pulumi package` is not run, and npm writes lock
 * files only. Not proved: what npm's registry and GitHub do with a release.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshCheckout } from "../helpers/checkout.ts";
import { blocksOf, type DocBlock } from "../helpers/doc-blocks.ts";
import { runJob } from "../helpers/workflow.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-install-"));
const real = (program: string) => execFileSync("which", [program], { encoding: "utf8" }).trim();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const clone = join(directory, "clone");
const packed = join(clone, `egress-bench-${version}.tgz`);
const programs = join(directory, "programs");
const calls = join(directory, "calls");

beforeAll(() => {
  mkdirSync(programs);
  freshCheckout(clone);
  const program = (name: string, text: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program("git", `[ "$1" = clone ]`);
  program(
    "npm",
    `case "$*" in
"ci --ignore-scripts" | "run setup -- --packages") [ -e node_modules ] || exec ln -s '${join(root, "node_modules")}' node_modules ;;
pack) [ -e '${packed}' ] || exec '${real("npm")}' pack ;;
publish*) echo "npm $*" >>'${calls}' ;;
install*) exec '${real("npm")}' "$@" --package-lock-only --ignore-scripts ;;
*) exec '${real("npm")}' "$@" ;;
esac`,
  );
  program("pulumi", `case "$1" in package | stack) exit ;; *) exec '${real("pulumi")}' "$@" ;; esac`);
  program("gh", `echo "gh $*" >>'${calls}'`);
});

const environment = () => ({
  ...process.env,
  PATH: [programs, dirname(process.execPath), process.env.PATH].join(":"),
  npm_config_package_lock: "true",
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
});

const documents = ["docs/library.md", "templates/README.md", "packages/pulumi-plugin/README.md"];
const blocks = documents
  .flatMap(blocksOf)
  .filter(({ language, text }) => language === "sh" && text.includes(".tgz"));

test("each document about installing has the working commands", () => {
  expect([...new Set(blocks.map(({ place: at }) => at.split(":")[0]))]).toEqual(documents);
});

let places = 0;
/** A directory in which a document's commands find the clone and a project. */
function makePlace(): string {
  places += 1;
  const place = join(directory, `place-${places}`);
  mkdirSync(join(place, "my-project"), { recursive: true });
  writeFileSync(join(place, "my-project/package.json"), '{ "name": "my-project" }');
  symlinkSync(clone, join(place, "egress-bench"));
  return place;
}

/** The lock file from a block's install: in the directory of its last preceding `cd`. */
function lockOf(
  { text }: DocBlock,
  place: string,
): { packages: Record<string, { resolved?: string; version?: string }> } {
  const before = text.slice(0, text.indexOf("npm install"));
  const into = [...before.matchAll(/\bcd ([\w./-]+)/g)].at(-1)?.[1] ?? "";
  return JSON.parse(readFileSync(join(place, into.replace("../", ""), "package-lock.json"), "utf8"));
}

describe("as the documents write it", () => {
  test.each(blocks.map((block) => [block.place, block] as const))(
    "%s installs the packed file",
    (_, block) => {
      const place = makePlace();
      const said = spawnSync(
        "bash",
        ["-euo", "pipefail", "-c", block.text.replaceAll("<owner>", "somebody")],
        {
          cwd: place,
          encoding: "utf8",
          env: environment(),
        },
      );
      expect(said.status, said.stdout + said.stderr).toBe(0);
      expect(existsSync(packed)).toBe(true);
      const { packages } = lockOf(block, place);
      expect(packages["node_modules/egress-bench"]?.resolved).toBe(
        `file:../egress-bench/egress-bench-${version}.tgz`,
      );
      expect(packages["node_modules/@pulumi/command"]?.version).toMatch(/^1\./);
    },
    300_000,
  );
});

describe("the release", () => {
  const values = (tag: string) => ({
    "github.ref_name": tag,
    "github.repository": "somebody/egress-bench",
    "github.token": "t",
    "secrets.NPM_TOKEN": "n",
  });
  const release = (tag: string) => {
    rmSync(calls, { force: true });
    const { ran } = runJob(join(root, "docs/examples/release.yml"), clone, environment(), values(tag));
    return { ran, called: existsSync(calls) ? readFileSync(calls, "utf8") : "" };
  };

  test("refuses a tag of another version, and a version without changes, before it publishes", () => {
    const other = release("v9.9.9");
    expect(other.ran.at(-1)?.said).toContain(`expected the tag v${version}`);
    const changes = readFileSync(join(clone, "CHANGELOG.md"), "utf8");
    writeFileSync(join(clone, "CHANGELOG.md"), "# Changelog\n");
    const without = release(`v${version}`);
    writeFileSync(join(clone, "CHANGELOG.md"), changes);
    expect(without.ran.at(-1)?.said).toContain(`expected a part "## [${version}]"`);
    expect(other.called + without.called).toBe("");
  });

  test("publishes the packed file with provenance, and attaches it with the changes", () => {
    const dated = `# Changelog\n\n## [Unreleased]\n\n- next\n\n## [${version}] - 2026-12-01\n\n- first\n\n## [0.0.1]\n\n- old\n`;
    writeFileSync(join(clone, "CHANGELOG.md"), dated);
    rmSync(packed, { force: true });
    const { ran, called } = release(`v${version}`);
    expect(ran.filter(({ status }) => status !== 0)).toEqual([]);
    const file = `./egress-bench-${version}.tgz`;
    expect(called.split("\n")).toEqual([
      `npm publish ${file} --provenance --access public --ignore-scripts`,
      `gh release create v${version} ${file} --verify-tag --title v${version} --notes-file notes.md`,
      "",
    ]);
    expect(readFileSync(join(clone, "notes.md"), "utf8").trim()).toBe("- first");
    const manifest = execFileSync("tar", ["-xOzf", packed, "package/package.json"], { encoding: "utf8" });
    expect(JSON.parse(manifest).repository.url).toBe("git+https://github.com/somebody/egress-bench.git");
  }, 300_000);
});
