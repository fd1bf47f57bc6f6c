/** The agents' output for the state: packed by the agent's own Python, read by the program. */
import { spawnSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpackedJson } from "../../../bench/agent/read-report.ts";

const MOST = 64 * 1024;

function packedByAgent(document: unknown): string {
  const program =
    "import sys; from common.packing import packed; sys.stdout.buffer.write(packed(sys.stdin.buffer.read()))";
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    cwd: new URL("../../../agent/", import.meta.url),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    input: JSON.stringify(document),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
}

const packedByHand = (document: unknown) =>
  deflateSync(JSON.stringify(document), { level: 9 }).toString("base64");

test.each([
  [
    "lists of like objects",
    {
      series: [
        { at: "1", rate: 2.5, of: [{ a: 1 }, { a: null }] },
        { at: "2", rate: 1e10, of: [] },
      ],
    },
  ],
  [
    "lists of unlike objects",
    { list: [{ a: 1 }, { b: 1 }, 3, "é"], one: [{ a: 1 }], none: [], empty: [{}, {}] },
  ],
  ["an empty key, which stands for columns elsewhere", { "": [[1]], k: ["a"], more: [{ b: 1 }, { b: 2 }] }],
])("%s are unpacked unchanged", (_, document) => {
  const text = packedByAgent(document);
  expect(text).toMatch(/^eN/);
  const back = JSON.parse(unpackedJson(text, MOST));
  // A document that contains the mark of columns itself reads as packed columns.
  expect(back).toEqual("" in document ? [{ a: 1 }] : document);
});

test("an unpacked document stays unchanged", () => {
  expect(unpackedJson('{"version":1}', MOST)).toBe('{"version":1}');
});

test("a host cannot send a small text that unpacks to a huge one", () => {
  const keys = ["k".repeat(1000)];
  const columns = { "": [Array.from({ length: 5000 }, () => 0)], k: keys };
  expect(() => unpackedJson(packedByHand(columns), MOST)).toThrow("larger than a report may be");
  expect(() => unpackedJson(packedByHand({ "": [[1, 2], [1]], k: ["a", "b"] }), MOST)).toThrow(
    "unlike lengths",
  );
});
