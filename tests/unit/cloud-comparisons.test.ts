/**
 * Differences between clouds are data of each cloud, so that adding a cloud means adding a record.
 * Directories of one cloud may name it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tools } from "../../bench/tools/index.ts";
import { cloudNames } from "../../bench/topologies/clouds.ts";
import { topologies } from "../../bench/topologies/index.ts";

const root = new URL("../../", import.meta.url);
const names = cloudNames.map((name) => `"${name}"`).join("|");
const comparison = new RegExp(`[!=]== (${names})|(${names}) [!=]==|case (${names}):`);

/** Directories and files of one cloud, tests, and generated files. */
const ownRooms = /(^|\/)(azure|aws|local|hosts)(\/|\.ts$)|^tests\/|generated/;

it("a cloud is compared by name in one place: a lab's preview loads no prices", () => {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((path) => path !== "" && !ownRooms.test(path));
  expect(files.length).toBeGreaterThan(300);
  const comparing = files.filter((path) => comparison.test(readFileSync(new URL(path, root), "utf8")));
  expect(comparing).toEqual(["index.ts"]);
});

it("the clouds with prices are named once: other code takes their type and list", () => {
  const both = /"(aws|azure)"( \| |, )"(aws|azure)"/;
  // A topology's record names its clouds.
  const own = ["bench/topologies/clouds.ts", "bench/topologies/index.ts"];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = listed
    .split("\n")
    .filter((path) => path !== "" && !ownRooms.test(path) && !own.includes(path));
  expect(files.filter((path) => both.test(readFileSync(new URL(path, root), "utf8")))).toEqual([]);
});

it("plans and prices compare no tool or topology by name, but use its record", () => {
  const known = [...Object.keys(tools), ...Object.keys(topologies)].map((name) => `"${name}"`).join("|");
  const byName = new RegExp(`(tool|topology|kind) [!=]== (${known})`);
  const listed = execFileSync(
    "git",
    ["ls-files", "bench/plan", "report/cost", "cli", "stacks/inventory.ts"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  const files = listed.split("\n").filter((path) => path.endsWith(".ts") && !ownRooms.test(path));
  const naming = files.filter((path) => byName.test(readFileSync(new URL(path, root), "utf8")));
  expect(naming).toEqual([]);
});
