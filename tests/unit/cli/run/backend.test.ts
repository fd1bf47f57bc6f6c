/** Checks of a directory backend before Pulumi writes to it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assertRoom, contentsOf } from "../../../../cli/pulumi/backend.ts";
import { temporaryDirectory } from "../../../helpers/temporary.ts";

const directory = temporaryDirectory();
const backendUrl = `file://${directory}?no_tmp_dir=true`;
const stacks = `${directory}/.pulumi/stacks/egress-bench`;
mkdirSync(stacks, { recursive: true });

const MB = 2 ** 20;
const state = (latest: object | null, padding = 0) =>
  JSON.stringify({ version: 3, checkpoint: { latest }, padding: "x".repeat(padding) });
writeFileSync(`${stacks}/used.json`, state({ resources: [{ urn: "urn:a" }] }, 2 * MB));
writeFileSync(`${stacks}/begun.json`, state({ pending_operations: [{ type: "creating" }] }));
writeFileSync(`${stacks}/empty.json`, state({ resources: [] }));
writeFileSync(`${stacks}/new.json`, state(null));
writeFileSync(`${stacks}/cut.json`, state(null).slice(0, 20));
writeFileSync(`${stacks}/packed.json.gz`, "");

describe("room for the state", () => {
  const check = (free: number, change: object = {}) => {
    const used = { backendUrl, project: "egress-bench", stack: "used", down: false };
    return () => assertRoom({ ...used, ...change }, () => free);
  };

  it("is checked if the backend is a directory, and a lack is reported with the remedy", () => {
    expect(check(63 * MB)).toThrow(
      `${directory}/.pulumi: expected 64 MB free for the state, got 63 MB: Pulumi would cut it short; make room`,
    );
    expect(check(0)).toThrow("got 0 MB");
    expect(check(64 * MB)).not.toThrow();
  });

  it("is in proportion to the state for a destroy, and none if there is nothing to destroy", () => {
    expect(check(9.1 * MB, { down: true })).not.toThrow();
    expect(check(8.5 * MB, { down: true })).toThrow("expected 10 MB free for the state");
    for (const stack of ["empty", "new", "none"]) expect(check(0, { stack, down: true })).not.toThrow();
    for (const stack of ["begun", "cut", "packed"])
      expect(check(0, { stack, down: true })).toThrow(/expected \d MB/);
  });

  it("is read from the file system itself", () => {
    const change = { backendUrl, project: "egress-bench", stack: "used", down: true };
    expect(() => assertRoom(change)).not.toThrow();
  });

  it.each([undefined, "s3://bucket", "https://api.example.com", "file:///nowhere"])(
    "is not asked for of %s",
    (url) => {
      expect(check(0, { backendUrl: url })).not.toThrow();
    },
  );
});

it.each([
  ["used", "resources"],
  ["begun", "resources"],
  ["empty", "no resources"],
  ["new", "no resources"],
  ["none", "no stack"],
  ["cut", "unknown"],
  ["packed", "unknown"],
])("reads the state of a stack: %s holds %s", (stack, contents) => {
  expect(contentsOf(backendUrl, "egress-bench", stack)).toBe(contents);
  expect(contentsOf("s3://bucket", "egress-bench", stack)).toBe("unknown");
});
