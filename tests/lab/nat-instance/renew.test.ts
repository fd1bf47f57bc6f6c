/** UDP flows that end while a machine of a pair renews the others, against this kernel, in a namespace of the test's own. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

test("flows that are left get the time-out of UDP, though most ended meanwhile", () => {
  const program = [
    "-B",
    file("tests/lab/pair-trial/renew-under-flush.py"),
    file("components/nat-instance/pair"),
  ];
  const said = execFileSync("unshare", ["--net", "python3", ...program], { encoding: "utf8" });
  expect(said.trim()).toBe("ended meanwhile: True, status 0, 500 of 500 renewed");
});
