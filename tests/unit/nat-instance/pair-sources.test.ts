/** The Python of a pair as machines get it does what the files say: compared by Python's own parser. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compact, pairSources } from "../../../components/nat-instance/pair-program.ts";

const directory = new URL("../../../components/nat-instance/pair/", import.meta.url);
const names = readdirSync(directory).filter((name) => name.endsWith(".py"));

/** Prints whether each pair of texts has one tree, but for docstrings and the types of functions and attributes. */
const compare = `
import ast, json, sys
class Plain(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        node.returns = None
        for one in [*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]:
            if one is not None:
                one.annotation = None
        return self.generic_visit(node)
    def visit_ImportFrom(self, node):
        return None if node.module == "typing" else node
    def visit_AnnAssign(self, node):
        plain = isinstance(node.target, ast.Attribute)
        return ast.Assign(targets=[node.target], value=node.value, lineno=0) if plain else node
    def generic_visit(self, node):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            del body[0]
        return super().generic_visit(node)
def plain(text):
    return ast.dump(Plain().visit(ast.parse(text)))
print(json.dumps([plain(one) == plain(other) for one, other in json.load(sys.stdin)]))
`;
const same = (pairs: [string, string][]): boolean[] =>
  JSON.parse(execFileSync("python3", ["-c", compare], { input: JSON.stringify(pairs), encoding: "utf8" }));

test("its texts are the files', but for docstrings, comments and types", () => {
  const pairs = names.map((name): [string, string] => {
    const text = readFileSync(new URL(name, directory), "utf8");
    return [text.replaceAll(/\bself\b(?!")/g, "s"), compact(text)];
  });
  expect(Object.fromEntries(same(pairs).map((one, at) => [names[at], one]))).toEqual(
    Object.fromEntries(names.map((name) => [name, true])),
  );
  expect(same([["x = 1\n", "x = 2\n"]])).toEqual([false]);
});

test.each([
  ["ec2", ["addresses.py", "nothing.py", "probe.py"]],
  ["probe", ["addresses.py", "ec2.py"]],
] as const)("a machine of kind %s gets its own files, small", (kind, without) => {
  const sources = pairSources(kind);
  const expected = names.filter((name) => !(without as readonly string[]).includes(name)).sort();
  expect(sources.map(([name]) => name)).toEqual(expected);
  for (const [, text] of sources) expect(text).not.toMatch(/"""|^ *#|\) ->|\n\n/m);
});
