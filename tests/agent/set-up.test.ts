/** The agent's use of a NAT instance's set-up script, here with other scripts in its place. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

function written(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-set-up-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "file");
  writeFileSync(file, text);
  return file;
}

/** An expression of set_up.py, with one of its files elsewhere. */
const where = (name: string, file: string, expression: string) =>
  evaluate(`[setattr(set_up, ${JSON.stringify(name)}, ${JSON.stringify(file)}), set_up.${expression}][1]`);

test("a set-up that cannot be restored is refused with its reason, however long its output", () => {
  const failing = "seq 1 999; echo egress-bench: no outside interface >&2; exit 1\n";
  expect(() => where("PROGRAM", written(failing), "mend()")).toThrow(
    /set-up not restored: [\s\S]*\begress-bench: no outside interface/,
  );
  // Limited in bytes: non-ASCII text gets no more than ASCII text.
  const long = `printf '%s' ${"\u20ac".repeat(1000)}; exit 1\n`;
  expect(() => where("PROGRAM", written(long), "mend()")).toThrow(/set-up not restored: \u20ac{90,100}\n/);
  expect(where("PROGRAM", written("echo looked\n"), "mend()")).toEqual({ looked: true });
  expect(where("PROGRAM", "/nowhere", "mend()")).toEqual({ looked: false });
});

test("every restoration counts, on a host that runs for months", () => {
  expect(where("DRIFTS_FILE", written("2026-11-22\n".repeat(5000)), "drifts()")).toBe(5000);
  expect(where("DRIFTS_FILE", "/nowhere", "drifts()")).toBe(0);
});
