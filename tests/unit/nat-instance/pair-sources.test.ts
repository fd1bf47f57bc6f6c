/** A pair's compacted Python does the same as the files: compared by Python's own parser. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  compact,
  LONG_NAMES,
  pairSources,
  withShortNames,
} from "../../../components/nat-instance/pair-program.ts";

const directory = new URL("../../../components/nat-instance/pair/", import.meta.url);
const names = readdirSync(directory).filter((name) => name.endsWith(".py"));

/**
 * Prints whether each pair of texts has the same tree, except for docstrings, the types of functions and attributes, and the
 * names of local variables. Each local variable is compared by a number, and parameters that calls name by their names.
 */
const compare = `
import ast, json, sys
def local_names(function, keywords):
    found = []
    for node in ast.walk(function):
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        inner = isinstance(node, ast.FunctionDef) and node is not function
        found += [node.id] if stored else [node.name] if inner or isinstance(node, ast.ExceptHandler) else []
        found += [node.arg] if isinstance(node, ast.arg) and node.arg not in keywords else []
    return {name: f"local {at}" for at, name in enumerate(dict.fromkeys(found))}
def number_locals(body, keywords):
    for function in [one for one in body if isinstance(one, ast.FunctionDef)]:
        names = local_names(function, keywords)
        for node in ast.walk(function):
            kinds = {ast.Name: "id", ast.arg: "arg", ast.ExceptHandler: "name", ast.FunctionDef: "name"}
            field = kinds.get(type(node))
            if field and node is not function:
                setattr(node, field, names.get(getattr(node, field), getattr(node, field)))
pairs = [[ast.parse(text) for text in pair] for pair in json.load(sys.stdin)]
nodes = [node for pair in pairs for tree in pair for node in ast.walk(tree)]
defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
calls = [node for node in nodes if isinstance(node, ast.Call)]
called = lambda call: getattr(call.func, "id", getattr(call.func, "attr", ""))
keywords = {one.arg for call in calls if called(call) in defined for one in call.keywords}
def numbered(tree):
    for body in [tree.body] + [one.body for one in tree.body if isinstance(one, ast.ClassDef)]:
        number_locals(body, keywords)
    return tree
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
def plain(tree):
    return ast.dump(numbered(Plain().visit(tree)))
print(json.dumps([plain(one) == plain(other) for one, other in pairs]))
`;
const same = (pairs: [string, string][]): boolean[] =>
  JSON.parse(execFileSync("python3", ["-c", compare], { input: JSON.stringify(pairs), encoding: "utf8" }));

test("its texts equal the files, except for docstrings, comments, types and local variables' names", () => {
  const pairs = names.map((name): [string, string] => {
    const text = readFileSync(new URL(name, directory), "utf8");
    return [withShortNames(text), compact(text)];
  });
  expect(Object.fromEntries(same(pairs).map((one, at) => [names[at], one]))).toEqual(
    Object.fromEntries(names.map((name) => [name, true])),
  );
  const differ: [string, string][] = [
    ["x = 1\n", "x = 2\n"],
    ["def f(one, two):\n return one - two\n", "def f(a, b):\n return b - a\n"],
    ["def f(one):\n return one + x\n", "def f(a):\n return a + a\n"],
    ["def f(one):\n return f'{one}{x}'\n", "def f(a):\n return f'{x}{x}'\n"],
    ["def f(one):\n return one\nf(one=1)\n", "def f(a):\n return a\nf(one=1)\n"],
  ];
  const renamed: [string, string] = ["def g(other):\n return other\n", "def g(a):\n return a\n"];
  expect(same([...differ, renamed])).toEqual([...differ.map(() => false), true]);
});

/** Prints the texts' names, and those that are in a string, in a library or as short as a new one. */
const nameKinds = `
import ast, importlib, json, re, sys
trees = [ast.parse(text) for text in json.load(sys.stdin)]
nodes = [node for tree in trees for node in ast.walk(tree)]
bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
bound |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
bound |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs]
imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
library = set()
for name in imported:
    if name.split(".")[0] in sys.stdlib_module_names:
        module = importlib.import_module(name)
        kinds = [one for one in vars(module).values() if isinstance(one, type)]
        library |= set(dir(module)).union(*map(dir, kinds))
own = lambda call: isinstance(call.func, ast.Name) and call.func.id in bound or getattr(call.func, "attr", "") in bound | {"_replace"}
library |= {one.arg for node in nodes if isinstance(node, ast.Call) and not own(node) for one in node.keywords}
library |= {name for kind in (str, bytes, dict, list, set, tuple) for name in dir(kind)}
print(json.dumps({"bound": sorted(bound), "strings": sorted(set(re.findall(r"\\w+", " ".join(texts)))), "library": sorted(library)}))
`;

test("a shortened name is in these files only, in no string and in no library", () => {
  const texts = names.map((name) => readFileSync(new URL(name, directory), "utf8"));
  const kinds = JSON.parse(
    execFileSync("python3", ["-c", nameKinds], { input: JSON.stringify(texts), encoding: "utf8" }),
  );
  // Files keep their names.
  expect(LONG_NAMES.filter((name) => names.includes(`${name}.py`))).toEqual([]);
  expect(LONG_NAMES.filter((name) => !kinds.bound.includes(name))).toEqual([]);
  expect(LONG_NAMES.filter((name) => kinds.strings.includes(name) || kinds.library.includes(name))).toEqual(
    [],
  );
  expect(kinds.bound.filter((name: string) => /^(?:s|[A-Z]{1,2})$/.test(name))).toEqual([]);
  expect(new Set(LONG_NAMES).size).toBe(LONG_NAMES.length);
});

/** Prints whether each pair of texts has the same strings in the same places, without docstrings. */
const compareStrings = `
import ast, json, sys
def strings(text):
    nodes = list(ast.walk(ast.parse(text)))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and id(node) not in docs]
print(json.dumps([strings(one) == strings(other) for one, other in json.load(sys.stdin)]))
`;

test("short names keep every string, even inside an f-string's braces", () => {
  const compared = (pairs: [string, string][]): boolean[] =>
    JSON.parse(
      execFileSync("python3", ["-c", compareStrings], { input: JSON.stringify(pairs), encoding: "utf8" }),
    );
  const same = compared(
    names.map((name) => {
      const text = readFileSync(new URL(name, directory), "utf8");
      return [text, withShortNames(text)];
    }),
  );
  expect(names.filter((_, at) => !same[at])).toEqual([]);
  const inside = "x = f\"{f('rules')}\"\n";
  expect(compared([[inside, withShortNames(inside)]])).toEqual([false]);
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
