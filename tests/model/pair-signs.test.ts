/** A pair's signs of life against an attacker on the link who replays recorded ones, over 127.0.0.0/8. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const REFUSAL = "the other machine is not ready";
const directory = mkdtempSync(join(tmpdir(), "egress-bench-signs-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("are heard once: no recording is accepted, even after a start of the machine itself, and the live peer always is", () => {
  const said = execFileSync(
    "python3",
    ["-B", file("tests/lab/pair-trial/replay.py"), file("components/nat-instance/pair")],
    { encoding: "utf8" },
  );
  expect(said.trim().split("\n")).toEqual([
    "live after ticks: 1",
    "second start after ticks: 1",
    "first start again: 0",
    "second start again: 0",
    "live after ticks: 1",
    "refused: 12",
    "all again, after an own start: 0 refused: 0",
    "live after ticks: 1",
    "all again: 0 live after ticks: 1",
    "live among thirty starts again: True",
    "copies: True not any more: False",
    "copies: True not, in a recording: 0 True",
  ]);
});

test("are heard often enough while 60 % are lost: a live peer does not count as dead in 80 ticks, nor in ten times as many", () => {
  const heard = (percent: number, ticks: number) =>
    execFileSync(
      "python3",
      ["-B", file("tests/lab/pair-trial/lossy.py"), file("components/nat-instance/pair")].concat(
        [percent, ticks].map(String),
      ),
      { encoding: "utf8" },
    ).trim();
  expect([heard(60, 80), heard(60, 800)]).toEqual(Array(2).fill("taken for dead: 0 refused: 0"));
  expect(heard(100, 80)).toBe("taken for dead: 1 refused: 0");
});

test("reach only the pair's program: no socket shares its port, and after a kill it gets the port back at once, unless another is first", () => {
  const said = execFileSync(
    "python3",
    ["-B", file("tests/lab/pair-trial/beside.py"), file("components/nat-instance/pair")],
    { encoding: "utf8" },
  );
  const alone = "bound 1 - Address already in use";
  expect(said.trim().split("\n")).toEqual([
    ...[alone, alone, "first: it has the port"],
    // Binding a socket a second time is another error.
    ...["Address already in use - Invalid argument", alone],
  ]);
});

test("a hand-over lasts no longer than its command, which fails unless the other machine carries, forwards and has copies", () => {
  const said = execFileSync(
    "python3",
    ["-B", file("tests/lab/pair-trial/leaving.py"), file("components/nat-instance/pair"), directory],
    { encoding: "utf8" },
  );
  expect(said.trim().split("\n")).toEqual([
    "before: False",
    ...["SIGINT", "SIGHUP", "SIGTERM", "SIGKILL"].map((name) => `${name}: True, then False`),
    "peer carries: 0 , handed over: True, then False",
    ...["peer does not forward", "peer fails to load its copies", "no peer", "no status"].map(
      (status) => `${status}: 1 ${REFUSAL}, handed over: True, then False`,
    ),
    `peer without copies: 1 ${REFUSAL}, handed over: False, then False`,
    "standby: 0 , handed over: False, then False",
    "peer leaves first: 0 , handed over: True, then False",
    "this process: True, another that had its id: False",
  ]);
});
