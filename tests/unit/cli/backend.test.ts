import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BrokenState, brokenState, hasDeadLock, putAside } from "../../../cli/pulumi/backend.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest();

/** The process id of an ended process. */
const endedPid = () => Number(spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);

describe("an engine's lock", () => {
  const url = () => `file://${at()}`;
  const state = (text: string) => {
    mkdirSync(at(".pulumi/stacks/egress-bench"), { recursive: true });
    writeFileSync(at(".pulumi/stacks/egress-bench/s.json"), text);
  };
  const lock = (content: object) => {
    const locks = at(".pulumi/locks/organization/egress-bench/s");
    mkdirSync(locks, { recursive: true });
    const whole = { pid: endedPid(), username: "u", hostname: hostname(), timestamp: "then", ...content };
    writeFileSync(join(locks, "1.json"), JSON.stringify(whole));
    writeFileSync(join(locks, "1.json.attrs"), "{}");
  };

  it("is dead if its process is gone, or its pid is no longer a Pulumi", () => {
    expect(hasDeadLock(url(), "egress-bench", "s")).toBe(false);
    state("{}");
    lock({});
    expect(hasDeadLock(url(), "egress-bench", "s")).toBe(true);
    lock({ pid: process.pid });
    expect(hasDeadLock(url(), "egress-bench", "s")).toBe(true);
  });

  it("that a full disk cut short is removed", () => {
    lock({ hostname: "elsewhere" });
    const locks = at(".pulumi/locks/organization/egress-bench/s");
    renameSync(join(locks, "1.json"), join(locks, "1.json.18eabbd56cec4db3.tmp"));
    expect(hasDeadLock(url(), "egress-bench", "s")).toBe(false);
    expect(readdirSync(locks)).toEqual(["1.json.attrs"]);
  });

  it.each(["of a stack that is gone", "that is empty"])("%s is removed", (which) => {
    lock({});
    const file = at(".pulumi/locks/organization/egress-bench/s/1.json");
    if (which === "that is empty") {
      state("{}");
      writeFileSync(file, "");
    }
    expect([hasDeadLock(url(), "egress-bench", "s"), existsSync(file)]).toEqual([false, false]);
  });

  it("that cannot be read is kept: whose it is, is not known", () => {
    lock({});
    const file = at(".pulumi/locks/organization/egress-bench/s/1.json");
    writeFileSync(file, "{");
    expect([hasDeadLock(url(), "egress-bench", "s"), existsSync(file)]).toEqual([false, true]);
  });

  it("of another machine is respected, since its process cannot be checked", () => {
    lock({ hostname: "elsewhere" });
    expect(() => hasDeadLock(url(), "egress-bench", "s")).toThrow(/of u on elsewhere.*since then; wait$/);
  });

  it("in a backend that is no directory is left to Pulumi", () => {
    expect(hasDeadLock("s3://bucket", "egress-bench", "s")).toBe(false);
    expect(hasDeadLock(undefined, "egress-bench", "s")).toBe(false);
  });
});

describe("a state that cannot be read", () => {
  const state = () => at(".pulumi/stacks/egress-bench/s.json");
  const write = (text: string, backup?: string) => {
    mkdirSync(join(state(), ".."), { recursive: true });
    writeFileSync(state(), text);
    if (backup !== undefined) {
      writeFileSync(`${state()}.bak`, backup);
    }
  };
  const broken = () => brokenState(`file://${at()}`, "egress-bench", "s");

  it("does not include a readable one", () => {
    write("{}", "{}");
    expect(broken()).toBeNull();
  });

  it("is moved aside, and its backup takes its place", () => {
    write('{"version": 3, "chec', '{"version":3}');
    const found = broken();
    expect(found).toEqual({ file: state(), backup: `${state()}.bak` });
    expect(readFileSync(putAside(found as BrokenState), "utf8")).toBe('{"version": 3, "chec');
    expect(readFileSync(state(), "utf8")).toBe('{"version":3}');
  });

  it("has no backup if that is broken too", () => {
    write("{", "{");
    const found = broken();
    expect(found).toMatchObject({ backup: null });
    putAside(found as BrokenState);
    expect(existsSync(state())).toBe(false);
  });
});
