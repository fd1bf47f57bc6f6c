/** Temporary directories of tests, and the output of commands that run in them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, onTestFinished } from "vitest";

const make = () => mkdtempSync(join(tmpdir(), "egress-bench-test-"));
const remove = (directory: string) => rmSync(directory, { recursive: true, force: true });

/** A directory for the tests of a file or of a suite, which call this once. */
export function temporaryDirectory(): string {
  const directory = make();
  afterAll(() => remove(directory));
  return directory;
}

export function directoryOfTest(): string {
  const directory = make();
  onTestFinished(() => remove(directory));
  return directory;
}

/**
 * A directory for each test of a file.
 *
 * @param fill Gets the new directory before the test.
 * @returns gives the running test's directory, or a path in it
 */
export function directoryOfEachTest(
  fill: (directory: string) => void = () => {},
): (...names: string[]) => string {
  let directory: string;
  beforeEach(() => {
    directory = make();
    fill(directory);
  });
  afterEach(() => remove(directory));
  return (...names) => join(directory, ...names);
}

/** Streams for a command, and the texts that it writes to them. */
export function recorded() {
  const said = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof said) => ({ write: (text: string) => (said[name] += text) });
  return { said, stdout: stream("stdout"), stderr: stream("stderr") };
}
