/**
 * `npm run docs`: generates the site with TypeDoc, from the documents that docs/README.md lists, under its headings, and the
 * library's API. TypeDoc reads a document's title and group from its head, which GitHub would show: the
 * documents get them in a copy.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { groupsOf } from "./site-index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [directory = "out/docs", ...more] = process.argv.slice(2);
if (directory.startsWith("-") || more.length > 0) {
  process.stderr.write(`npm run docs: expected one directory; got "${process.argv.slice(2).join(" ")}"\n`);
  process.exit(2);
}
const output = resolve(root, directory);

/** Copies the documents and the files that they link to. */
function copyDocuments(to: string): void {
  const listed = "ls-files --cached --others --exclude-standard *.md docs LICENSE action.yml".split(" ");
  const files = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    if (file.endsWith(".md")) writeFileSync(join(to, file), withoutDirectories(file));
    else cpSync(join(root, file), join(to, file));
  }
}

/** A document without links to directories, which a site lacks; their words stay. */
function withoutDirectories(file: string): string {
  const isDirectory = (path: string) =>
    statSync(join(root, dirname(file), path), { throwIfNoEntry: false })?.isDirectory() === true;
  return readFileSync(join(root, file), "utf8").replaceAll(
    /\[([^\]]*)\]\(([^)#:]+)\)/g,
    (link, text, path) => (isDirectory(path) ? text : link),
  );
}

/** TypeScript configuration for the library alone: the checkout's includes all tests. */
function libraryConfig(): object {
  const { entryPoints } = JSON.parse(readFileSync(join(root, "typedoc.json"), "utf8"));
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
    include: [],
    files: entryPoints.map((file: string) => join(root, file)),
  };
}

const copy = mkdtempSync(join(tmpdir(), "egress-bench-docs-"));
try {
  copyDocuments(copy);
  const groups = groupsOf(readFileSync(join(root, "docs/README.md"), "utf8"));
  const documents = groups.flatMap(({ group, links }) =>
    links.map(({ title, path }) => {
      const file = join(copy, normalize(`docs/${path}`));
      const head = `title: ${JSON.stringify(title)}\ngroup: ${JSON.stringify(group)}`;
      // TypeDoc, unlike GitHub, leaves code out of a heading's anchor.
      const text = readFileSync(file, "utf8").replaceAll(/^##+ .*/gm, (heading) =>
        heading.replaceAll("`", ""),
      );
      writeFileSync(file, `---\n${head}\n---\n\n${text}`);
      return file;
    }),
  );
  const names = groups.map(({ group }) => group);
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(libraryConfig()));
  const config = {
    extends: [join(root, "typedoc.json")],
    tsconfig: join(copy, "tsconfig.json"),
    readme: join(copy, "README.md"),
    projectDocuments: documents,
    groupOrder: [...names, "*"],
    customCss: join(root, "tools/reference/site.css"),
    out: output,
  };
  writeFileSync(join(copy, "typedoc.json"), JSON.stringify(config));
  const typedoc = join(root, "node_modules/typedoc/bin/typedoc");
  execFileSync(process.execPath, [typedoc, "--options", join(copy, "typedoc.json")], {
    cwd: root,
    stdio: "inherit",
  });
} finally {
  rmSync(copy, { recursive: true, force: true });
}
