/** Imports between the agent's directories go one way, in the order that `agent/README.md` lists. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentSources } from "../../components/benchmark/agent-sources.ts";

const readme = readFileSync(new URL("../../agent/README.md", import.meta.url), "utf8");
const directories = [...readme.matchAll(/^\| `([a-z]+)\/` \|/gm)].map(([, directory]) => directory as string);
const files = Object.entries(agentSources()).filter(([path]) => path.includes("/"));

test("every file of the agent is a program or in a directory that the README lists", () => {
  expect([...new Set(files.map(([path]) => path.split("/")[0]))].sort()).toEqual([...directories].sort());
});

test.each(files)("%s imports from its own directory and those listed before it", (path, text) => {
  const imported = [...text.matchAll(/^ *(?:from|import) ([a-z0-9_]+)[. ]/gm)].map(
    ([, name]) => name as string,
  );
  const used = imported.filter((name) => directories.includes(name));
  const allowed = directories.slice(0, directories.indexOf(path.split("/")[0] as string) + 1);
  expect(used.filter((name) => !allowed.includes(name))).toEqual([]);
});
