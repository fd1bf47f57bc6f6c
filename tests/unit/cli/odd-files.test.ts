/** Pipes, devices and the like as files: every command refuses them at once with the reason, without waiting or filling the memory. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { makeTemporary } from "../../../components/shared/files.ts";
import { readPlanFile } from "../../../stacks/plan-file.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { awsLog, minuteOfTraffic } from "../../helpers/flow-logs.ts";
import { ran } from "../../helpers/ran.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

vi.setConfig({ testTimeout: 60_000 });
const directory = temporaryDirectory();
beforeAll(() => {
  mkdirSync(join(directory, "directory"));
  writeFileSync(join(directory, "file"), "");
  const { cases, ...results } = handMadeResults();
  writeFileSync(join(directory, "good.json"), JSON.stringify({ ...results, cases: cases.slice(0, 1) }));
  writeFileSync(join(directory, "good.log"), awsLog([minuteOfTraffic]));
  writeFileSync(join(directory, "deep.json"), `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
  writeFileSync(join(directory, "bomb.gz"), gzipSync(Buffer.alloc(80 * 1024 * 1024)));
  for (const bytes of [600e6, 3e9]) {
    // Takes no space on disk.
    const name = join(directory, `large-${bytes / 1e6}`);
    writeFileSync(name, "");
    truncateSync(name, bytes);
  }
  execFileSync("mkfifo", [join(directory, "pipe")]);
  symlinkSync("/dev/zero", join(directory, "zeros"));
  symlinkSync("loop", join(directory, "loop"));
});

const run = (line: string) => {
  const [name = "", ...args] = line.split(" ");
  return ran(name as Parameters<typeof ran>[0], args, directory);
};

const LOOP = "too many symbolic links encountered";
const NO_FILE = "it is a pipe, a device or a socket, and no regular file";
const nat = "nat-script --cloud azure --private-cidrs 10.0.1.0/24";

describe("as an input", () => {
  it.each([
    // Each kind of file, where one is read as text and where it is read as a log.
    ...["report", "advise"].flatMap((command) => [
      [command, "pipe", NO_FILE],
      [command, "zeros", NO_FILE],
      [command, "/dev/zero", NO_FILE],
      [command, "none", "no such file or directory"],
      [command, "file/x", "not a directory"],
      [command, "loop", LOOP],
      [command, "loop/x.json", LOOP],
    ]),
    ...["choose --prices", `${nat} --options`].map((command) => [command, "directory", "it is a directory"]),
    // A pipe and a link to itself, everywhere else.
    ...[
      ...[
        "report good.json --prices",
        "report good.json --baseline",
        "choose --prices",
        "contribute --print",
      ],
      ...["advise good.log --prices", "advise good.log --results"],
      ...["advise good.log --ranges"],
      ...[`${nat} --options`, `${nat} --extra-script`],
    ].flatMap((command) => [
      [command, "pipe", NO_FILE],
      [command, "loop", LOOP],
    ]),
  ])("of %s, %s is refused", async (command = "", name = "", reason) => {
    const { status, stderr } = await run(`${command} ${name}`);
    expect(stderr).toContain(name);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/E[A-Z]{4,}|EISDIR/);
    expect(status).not.toBe(0);
  });
});

it("a plan that is a pipe is refused with the reason", () => {
  execFileSync("mkfifo", [join(directory, "plan.yaml")]);
  expect(() => readPlanFile("plan.yaml", directory)).toThrow(NO_FILE);
});

describe("as an output", () => {
  it.each([
    ...["report good.json", "choose", "contribute good.json", "advise good.log", nat].flatMap((line) => [
      [line, "file/out", "not a directory"],
      [line, "loop", LOOP],
      [line, "loop/out", LOOP],
    ]),
    ["report good.json", "/proc/none/out", "no such file or directory"],
  ])("of %s, %s is refused with the reason in words", async (line, out, reason) => {
    const { status, stderr } = await run(`${line} --out ${out}`);
    expect(stderr).toMatch(
      new RegExp(`--out: .*${out}.* cannot be written: ${reason}; choose another place\n$`),
    );
    expect(status).toBe(1);
  });

  it("a pipe in the place of a file is refused, and stays", async () => {
    for (const [line, name] of [
      ["report good.json", "report.html"],
      ["choose", "choose.html"],
      ["advise good.log", "advice.html"],
    ]) {
      mkdirSync(join(directory, "pipes"), { recursive: true });
      execFileSync("mkfifo", [join(directory, `pipes/${name}`)]);
      expect(await run(`${line} --out pipes`)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`pipes/${name} cannot be written: ${NO_FILE}`),
      });
    }
    expect(await run(`${nat} --out pipe`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(NO_FILE),
    });
    expect(existsSync(join(directory, "pipe"))).toBe(true);
  });
});

it.each([
  ["a few lines", 5, "garbage"],
  ["more than the first 64 KB", 20_000, "garbage"],
  ["a few lines", 5, "\0".repeat(100)],
])("bytes after a gzip log of %s are named as the reason", async (_, lines, after) => {
  const flows = Array.from({ length: lines }, (__, index) => ({
    ...minuteOfTraffic,
    source: `10.${Math.imul(index, 2654435761) & 255}.${index >> 8}.${index & 255}`,
    bytes: 1000 + (Math.imul(index, 40503) >>> 4),
  }));
  const log = gzipSync(awsLog(flows), { level: 1 });
  expect(log.length > 65_536).toBe(lines > 5);
  writeFileSync(join(directory, "after.log.gz"), Buffer.concat([log, Buffer.from(after)]));
  const { status, stderr } = await run("advise after.log.gz");
  expect(stderr).toContain("after.log.gz: bytes that are not gzip follow its gzip data");
  expect(status).toBe(1);
});

describe("a file that unpacks or unfolds to more than can be read", () => {
  it.each([
    ["report deep.json", "nested too deeply"],
    ["report good.json --baseline deep.json", "nested too deeply"],
    ["advise good.log --results deep.json", "nested too deeply"],
    ["report large-600", "large-600: cannot be read: it has 600 MB, and no more than 536 MB are read"],
    ["report large-3000", "it has 3000 MB, and no more than 536 MB are read"],
    ["advise bomb.gz", "its first 64 KB unpack to more than 64 MB"],
  ])("is named with its own reason by %s", async (line, reason) => {
    const { status, stderr } = await run(line);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/call stack|and is none|not whole JSON/);
    expect(status).toBe(1);
  });
});

describe("a file of another kind, or half a one, is refused with what was expected, what came and what to do", () => {
  const bill = readFileSync(new URL("../../fixtures/advise/bill-one-month.csv", import.meta.url), "utf8");
  const [header = ""] = bill.split("\n");
  const results = JSON.stringify({ schemaVersion: 1, cloud: "aws" });
  it.each([
    [
      "advise: unknown JSON",
      '{"hello": 1, "world": {}}',
      /expected JSON of a flow log .*; got the fields hello, world$/m,
    ],
    ["advise: a list", "[1,2,3]", /expected JSON of a flow log .*; got no field$/m],
    ["advise: results", results, /schemaVersion, cloud; results of egress-bench belong to --results$/m],
    [
      "advise: a log without a record",
      '{"records":[]}',
      /expected records of a flow log; got none in 1 file/,
    ],
    [
      "advise: a bill cut in its first line",
      bill.slice(0, header.length + 20),
      /no line of a NAT gateway, and ends in the middle of a line: export/,
    ],
    ["advise: a bill's header", `${header}\n`, /no line of a NAT gateway: export .* --gb/],
    ["advise: a cut gzip", gzipSync(bill).subarray(0, 300), /ends in the middle \(.*\): export it again/],
    ["advise: cut metrics", '{"Datapoints":[', /expected whole JSON, got .*: export it again/],
    ["advise: a cut header", header.slice(0, 200), /got the columns .*, lineItem\/LineItemType$/m],
    ["report: a bill", bill, /not whole JSON .*; give a bill, .* to advise/],
    ["report: metrics", '{"Datapoints":[]}', /not a results file of egress-bench.* bill.*advise/],
    ["report: half results", results.slice(0, 9), /not whole JSON .*measure again or remove it/],
  ])("%s", async (name, content, message) => {
    writeFileSync(join(directory, "odd"), content);
    const { status, stderr } = await run(`${name.split(":")[0]} odd`);
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });
});

it("a log and a directory that this account may not read are counted, and the others are read", () => {
  const mixed = join(directory, "mixed");
  mkdirSync(join(mixed, "closed"), { recursive: true });
  // Files of equal size, like copies.
  for (const name of ["good.log", "closed.log"]) {
    writeFileSync(join(mixed, name), readFileSync(join(directory, "good.log")));
  }
  chmodSync(join(mixed, "closed.log"), 0);
  chmodSync(join(mixed, "closed"), 0);
  const ruled = "-dac_override,-dac_read_search";
  const asOthers =
    process.getuid?.() === 0 ? ["setpriv", `--bounding-set=${ruled}`, `--inh-caps=${ruled}`] : ["env"];
  const [program = "", ...args] = [
    ...asOthers,
    ...[process.execPath, fileURLToPath(new URL("../../../cli/main.ts", import.meta.url)), "advise"],
    ...["mixed", "--out", "mixed-advice"],
  ];
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
  chmodSync(join(mixed, "closed"), 0o700);
  expect(stderr).toContain("1 skipped, not a readable file or directory");
  expect(stderr).toContain("mixed/closed");
  expect(stdout).toContain("USD a month");
  expect(readFileSync(join(directory, "mixed-advice/advice.md"), "utf8")).toContain("permission denied");
  // The status also shows that a file could not be used.
  expect(status).toBe(1);
});

it.each(["9223372036854775807", "9223372036854775", "-9223372036854775808"])(
  "a line that ends at %s is counted, and the others are read",
  async (end) => {
    const good = readFileSync(join(directory, "good.log"), "utf8").trimEnd();
    const line = good.split("\n").at(-1) ?? "";
    writeFileSync(join(directory, "ends.log"), `${good}\n${line.replace("1790000060", end)}\n`);
    const { status, stderr } = await run("advise ends.log --out ends");
    expect(stderr).not.toMatch(/Overflow|Range/);
    expect(status).toBe(0);
    expect(readFileSync(join(directory, "ends/advice.md"), "utf8")).toContain(
      end.startsWith("-") ? "ends before it starts" : "time outside 2000 to 2100",
    );
  },
);

it("a missing directory for temporary files is named with its variable", async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(directory, "none");
  try {
    expect(() => makeTemporary("x-")).toThrow(
      `expected room for temporary files in ${directory}/none: no such file or directory; name a directory that can be written in TMPDIR`,
    );
    expect((await run("advise good.log")).stderr).toContain(`${directory}/none: no such file`);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
