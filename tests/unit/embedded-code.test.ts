/**
 * Shell, Python, CSS and JavaScript are files, which linters check; a template string or a list of lines holds fewer than
 * four lines of them. SQL, nftables, HTML and configuration files are not judged.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const MOST = 3;

/** What a line of code looks like, by language. */
const CODE: readonly RegExp[] = [
  /^(#!|set -|if \[|for \w+ in |while |until |done\b|fi$|esac|case .* in$|echo |printf |export |trap |exit |umask |cat |sudo |sysctl |ip |apt-get |systemctl |cd |mkdir |rm |sleep |tail |timeout |\w+=(\S*$|"))/,
  /^(import \w|from \w+ import |def \w+\(|class \w+.*:$|(for|with|if|while) .*:$|try:|return\b|raise |print\(|python3 |\w+(, \w+)* = |\w+\.\w+\(.*\)'?$)/,
  /^([.#]?[\w-]+(\([^)]*\))?( [.#]?[\w-]+)* ?\{$|--?[\w-]+:|[a-z-]+: ?[^;{}]+;$|@media|:root|[^{}]*\{[^{}]*:[^{}]*\}$|\}$)/,
  /^(const |let |function |await |document\.|window\.|\w+\.addEventListener)/,
];

interface Embedded {
  readonly line: number;
  readonly text: string;
}

/** The texts of a module that hold more than {@link MOST} lines of code. */
function embedded(module: string): Embedded[] {
  const source = ts.createSourceFile("module.ts", module, ts.ScriptTarget.Latest, true);
  const found: Embedded[] = [];
  const visit = (node: ts.Node): void => {
    const lines = linesOf(node);
    const likely = Math.max(...CODE.map((code) => lines.filter((line) => code.test(line)).length));
    if (lines.length > MOST && likely * 2 >= lines.length) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: lines[0] ?? "" });
    } else {
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return found;
}

/** The lines of a template string, or of an array of strings that is joined by line ends; none of any other node. */
function linesOf(node: ts.Node): string[] {
  const texts =
    ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)
      ? [node.getText().slice(1, -1).replaceAll("\\n", "\n")]
      : isJoined(node)
        ? node.expression.expression.elements.map((one) => one.getText().replace(/^["'`](.*)["'`]$/s, "$1"))
        : [];
  return texts
    .join("\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

type Joined = ts.CallExpression & {
  readonly expression: ts.PropertyAccessExpression & { readonly expression: ts.ArrayLiteralExpression };
};

function isJoined(node: ts.Node): node is Joined {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "join" &&
    ts.isArrayLiteralExpression(node.expression.expression) &&
    node.arguments[0]?.getText() === '"\\n"'
  );
}

test("product code holds no more than three lines of another language in a string", () => {
  const files = execFileSync("git", ["ls-files", "*.ts", ":!tests", ":!*.generated.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  const names = files.trim().split("\n");
  expect(names.length).toBeGreaterThan(500);
  expect(
    names.flatMap((name) =>
      embedded(readFileSync(root + name, "utf8")).map(({ line, text }) => `${name}:${line}: ${text}`),
    ),
  ).toEqual([]);
});

/** A sample in which `<name>` stands for a value. */
const withValues = (sample: string) => sample.replaceAll(/<(\w+)>/g, "$${$1}");

test.each([
  ["shell", "`\nset -eu\nfor one in $all; do\n  ip link show $one\ndone\n`"],
  ["shell with values", "`umask 077\n<first>\ncat > <path>\nsysctl -qw <key>`"],
  ["a list of shell", '["status=$?", \'if [ "$status" -ne 0 ]; then\', "  exit 1", "fi"].join("\\n")'],
  ["Python", "`python3 -c 'import lzma\nimport os\nfor one in all:\n print(one)'`"],
  [
    "Python in a row",
    "`python3 -c 'import lzma, os\nfor one in all:\n head, text = one.split(1)\n os.umask(0)'`",
  ],
  ["CSS", "`:root{color:red;<one>}\n@media print{:root{<two>}}\n.sub{margin:0}\n.more{margin:1px}`"],
  ["JavaScript", "`const one = 1;\nlet two = 2;\nfunction three() {\n}`"],
])("four lines are found: %s", (_, text) => {
  expect(embedded(`const text = ${withValues(text)};`)).toHaveLength(1);
});

test.each([
  ["SQL", "`select a\n  from b\n  where c\n  order by d`"],
  ["three lines of shell", "`set -eu\numask 077\necho done`"],
  ["a list of words", '["a", "b", "c", "d"].join("\\n")'],
])("other text is not: %s", (_, text) => {
  expect(embedded(`const text = ${text};`)).toEqual([]);
});
