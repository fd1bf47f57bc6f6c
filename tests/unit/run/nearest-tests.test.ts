import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { nearestTests } from "../../helpers/nearest-tests.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const root = temporaryDirectory();
const texts: Readonly<Record<string, string>> = {
  "bench/shell.ts": "",
  "bench/plan.ts": 'import { quote } from "./shell.ts";',
  "bench/other.ts": "",
  "agent/daemon/log_lines.py": "",
  "agent/daemon/counters.py": "",
  "components/set-up/guard.sh": "",
  "components/set-up/room.sh": "echo no_room_total 1; echo early_drop_total 2; metric PacketsDropCount 3",
  "components/figures-text.ts": 'read("set-up/room.sh");',
  "components/shell-text.ts": 'read("set-up/guard.sh");',
  "tests/helpers/plans.ts": 'export { plan } from "../../bench/plan.ts";',
  "tests/unit/shell.test.ts": "",
  "tests/unit/quoting.test.ts": 'import { quote } from "../../bench/shell.ts";',
  "tests/unit/far.test.ts": 'const { plan } = await import("../helpers/plans.ts");',
  "tests/unit/other.test.ts": 'import "../../bench/plan.ts";',
  "tests/agent/log-lines.test.ts": "",
  "tests/agent/figures.test.ts": 'evaluate("counters.rise(data)", [1]);',
  "tests/unit/texts.test.ts": 'import "../../components/figures-text.ts";',
  "tests/lab/published.test.ts": "toEqual({ no_room_total: 1, early_drop_total: 2, PacketsDropCount: 3 })",
  "tests/lab/one-name.test.ts": "toEqual({ no_room_total: 1 })",
  "tests/lab/guarding.test.ts": 'import { text } from "../../components/shell-text.ts";',
};
for (const [file, text] of Object.entries(texts)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

it.each([
  [
    "a module: its name first, then by imports",
    "bench/shell.ts",
    ["shell", "quoting", "other", "far"].map((one) => `tests/unit/${one}.test.ts`),
  ],
  ["a module that nothing imports, by name", "bench/other.ts", ["tests/unit/other.test.ts"]],
  ["a program in Python, by name", "agent/daemon/log_lines.py", ["tests/agent/log-lines.test.ts"]],
  ["a program in Python, by its functions", "agent/daemon/counters.py", ["tests/agent/figures.test.ts"]],
  [
    "shell, by who reads it; a slow test only if there is no other",
    "components/set-up/guard.sh",
    ["tests/lab/guarding.test.ts"],
  ],
  [
    "shell, by the figures that it writes, although that test is slow",
    "components/set-up/room.sh",
    ["tests/lab/published.test.ts", "tests/unit/texts.test.ts"],
  ],
  ["a test itself", "tests/unit/far.test.ts", ["tests/unit/far.test.ts"]],
  ["nothing", "README.md", []],
])("finds the tests of %s", (_, file, expected) => {
  expect(nearestTests(root, Object.keys(texts), file)).toEqual(expected);
});
