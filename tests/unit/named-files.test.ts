/** Files named in comments of sources, agent and tests, and in documents, exist. Not proved: what the comments say about them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Files of other projects, and words that are not files. */
const others = ["service/fck-nat.sh", "d.ts", "cli/x.ts"];
/** On a host the agent's files are elsewhere. */
const AGENT = /^egress-bench\//;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((name) => existsSync(name));

/** A comment of a source; in a document, code within a sentence, a link, and where a statement comes from. */
function commentOf(file: string): RegExp {
  if (file.endsWith(".md")) {
    return /<!-- source:.*?-->|`[^`\n]+`|\]\([^)]+\)/gs;
  }
  return file.endsWith(".ts") ? /\/\*\*.*?\*\/|\/\/[^\n]*/gs : /#[^\n]*|""".*?"""/gs;
}

/** Source names in a file's comments that no file of the project has. */
function missing(file: string, text: string): string[] {
  const comments = text.match(commentOf(file)) ?? [];
  const names = comments.flatMap(
    (one) => one.match(/(?<![\w/.:-])[\w./-]*[\w-]\.(?:ts|py|sh)(?![\w(])/g) ?? [],
  );
  return names
    .map((name) => name.replace(/^[./]+/, "").replace(AGENT, "agent/"))
    .filter((name) => !others.includes(name))
    .filter((name) => !files.some((one) => `/${one}`.endsWith(`/${name}`)));
}

test("comments and documents name files that exist", () => {
  const sources = files.filter(
    (one) =>
      /\.(ts|py|sh|md)$/.test(one) && one !== "CHANGELOG.md" && !/fixtures|generated|named-files/.test(one),
  );
  const found = sources.flatMap((one) =>
    missing(one, readFileSync(one, "utf8")).map((name) => `${one}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("a removed file is found", () => {
  const text = '/** Read by `barrier.py`. */\n// see ./aws/nat-args.ts\nconst at = "sampling.py";';
  expect(missing("a.ts", text)).toEqual(["barrier.py"]);
  const document =
    "| `barrier.py` | reads `sampling.py` | <!-- source: a/b.ts, components/aws/nat-args.ts -->";
  expect(missing("a.md", document)).toEqual(["barrier.py", "sampling.py", "a/b.ts"]);
});
