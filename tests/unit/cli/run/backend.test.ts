/** What is asked of a backend that is a directory, before Pulumi writes to it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { assertRoom } from "../../../../cli/run/backend.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-backend-`);
mkdirSync(`${directory}/.pulumi`);
afterAll(() => rmSync(directory, { recursive: true }));

const MB = 2 ** 20;

describe("room for the state", () => {
  it("is asked for where the backend is a directory, with what to do", () => {
    const check = (free: number) => () => assertRoom(`file://${directory}?no_tmp_dir=true`, () => free);
    expect(check(63 * MB)).toThrow(
      `${directory}/.pulumi: expected 64 MB free for the state, got 63 MB: Pulumi would cut it short; make room`,
    );
    expect(check(0)).toThrow("got 0 MB");
    expect(check(64 * MB)).not.toThrow();
  });

  it("is looked up on the file system itself", () => {
    expect(() => assertRoom(`file://${directory}`)).not.toThrow();
  });

  it.each([undefined, "s3://bucket", "https://api.example.com", "file:///nowhere"])(
    "is not asked for of %s",
    (url) => {
      expect(() => assertRoom(url, () => 0)).not.toThrow();
    },
  );
});
