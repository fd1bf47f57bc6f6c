/**
 * `npm run docs`: the site, of the documents that docs/README.md lists, under its headings, and of the library's API.
 * TypeDoc makes it. It wants a document's title and group at the head of the file, where GitHub would show them: the
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

/** The documents and what they link to, as they lie in the checkout. */
function copyDocuments(to: string): void {
  const listed = "ls-files --cached --others --exclude-standard *.md docs LICENSE action.yml".split(" ");
  const files = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    if (file.endsWith(".md")) writeFileSync(join(to, file), withoutDirectories(file));
    else cpSync(join(root, file), join(to, file));
  }
}

/** A document whose links to directories, which a site has not, are their words only. */
function withoutDirectories(file: string): string {
  const isDirectory = (path: string) =>
    statSync(join(root, dirname(file), path), { throwIfNoEntry: false })?.isDirectory() === true;
  return readFileSync(join(root, file), "utf8").replaceAll(
    /\[([^\]]*)\]\(([^)#:]+)\)/g,
    (link, text, path) => (isDirectory(path) ? text : link),
  );
}

/** TypeScript's configuration for the library alone: the checkout's has all tests read too. */
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
      // TypeDoc leaves code out of a heading's anchor, and GitHub does not.
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
    customCss: join(root, "docs/generate/site.css"),
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
