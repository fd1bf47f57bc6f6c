/** The agent's rooms import one way: `agent/README.md` lists them in the order that this test keeps. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentSources } from "../../components/benchmark/agent-sources.ts";

const readme = readFileSync(new URL("../../agent/README.md", import.meta.url), "utf8");
const rooms = [...readme.matchAll(/^\| `([a-z]+)\/` \|/gm)].map(([, room]) => room as string);
const inRooms = Object.entries(agentSources()).filter(([path]) => path.includes("/"));

test("every file of the agent is a program or in a directory that the README lists", () => {
  expect([...new Set(inRooms.map(([path]) => path.split("/")[0]))].sort()).toEqual([...rooms].sort());
});

test.each(inRooms)("%s imports from its own room and those listed before it", (path, text) => {
  const imported = [...text.matchAll(/^ *(?:from|import) ([a-z0-9_]+)[. ]/gm)].map(
    ([, name]) => name as string,
  );
  const used = imported.filter((name) => rooms.includes(name));
  const allowed = rooms.slice(0, rooms.indexOf(path.split("/")[0] as string) + 1);
  expect(used.filter((name) => !allowed.includes(name))).toEqual([]);
});
