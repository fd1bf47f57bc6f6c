/** Links between the documents work. Addresses outside the project are not requested. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const documents = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && !path.startsWith("tests/fixtures/") && existsSync(join(root, path)));

/** A document without its code, in which brackets have another meaning. */
function prose(path: string): string {
  return readFileSync(join(root, path), "utf8")
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""));
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchors(path: string): string[] {
  const headings = prose(path).match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

/** The mistake in a link, or null. */
function complaint(from: string, link: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(root, from) : join(root, dirname(from), path);
  if (!existsSync(target)) return `${link}: no such file`;
  if (anchor === undefined || statSync(target).isDirectory()) return null;
  return anchors(relative(root, target)).includes(anchor) ? null : `${link}: no such heading`;
}

describe("links", () => {
  test.each(documents)("of %s", (path) => {
    const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
    const own = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(own.map((link) => complaint(path, link)).filter((one) => one !== null)).toEqual([]);
  });

  test("that are broken are found", () => {
    expect(complaint("README.md", "docs/nothing.md")).toBe("docs/nothing.md: no such file");
    expect(complaint("README.md", "ARCHITECTURE.md#no-such-part")).toContain("no such heading");
    expect(complaint("README.md", "ARCHITECTURE.md#the-lab")).toBeNull();
  });
});

test("tests named in documents exist, and each threat names one or says that there is none", () => {
  const named = documents
    .filter((one) => one !== "CHANGELOG.md")
    .flatMap((from) =>
      (readFileSync(join(root, from), "utf8").match(/`tests\/[\w./-]+\.(?:test\.)?[tp][sy]`/g) ?? []).map(
        (one) => [from, one.slice(1, -1)] as const,
      ),
    );
  expect(named.filter(([, file]) => !existsSync(join(root, file)))).toEqual([]);
  const [, table = ""] = readFileSync(join(root, "docs/security.md"), "utf8").split("\n## Threats\n");
  const threats = table
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const tests = threats.slice(2).map((line) => line.split("|").at(-2)!.trim());
  expect(tests.length).toBeGreaterThan(25);
  expect(tests.filter((cell) => cell !== "none" && !/^`tests\/[\w./-]+\.ts`/.test(cell))).toEqual([]);
});
