/** Commands in the agent's README and help are accepted by the agent. Nothing is measured. */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { blocksOf } from "../helpers/doc-blocks.ts";

const agent = fileURLToPath(new URL("../../agent/", import.meta.url));
const text = blocksOf("agent/README.md")
  .map((block) => block.text)
  .join("\n");

test("its specification of a run passes the agent's own check", () => {
  const [, specification = ""] = /<<'EOF_SPEC'\n([\s\S]*?)^EOF_SPEC$/m.exec(text) ?? [];
  const check = "import json,sys; from daemon.specs import check_run; check_run(json.load(sys.stdin))";
  const { status, stderr } = spawnSync("python3", ["-c", check], {
    cwd: agent,
    input: specification,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each(["connection-rate", "concurrent-flows", "idle-timeout", "behaviour"])(
  "nat_limits.py %s --help",
  (probe) => {
    const help = execFileSync("python3", [`${agent}nat_limits.py`, probe, "--help"], { encoding: "utf8" });
    expect(help).toContain(`  ${probe} `);
  },
);

test("needs no program that hosts lack", () => {
  expect(text).not.toMatch(/\bnc\b/);
});
