/** A pair's signs of life against an attacker on the link who replays recorded ones, over 127.0.0.0/8. */
import { expect, test } from "vitest";
import { pairTrial } from "../helpers/pair-python.ts";
import { directoryOfTest } from "../helpers/temporary.ts";

const REFUSAL = "the other machine is not ready";

test("are heard once: no recording is accepted, even after a start of the machine itself, and the live peer always is", () => {
  expect(pairTrial("replay").split("\n")).toEqual([
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
  const heard = (percent: number, ticks: number) => pairTrial("lossy", percent, ticks);
  expect([heard(60, 80), heard(60, 800)]).toEqual(Array(2).fill("taken for dead: 0 refused: 0"));
  expect(heard(100, 80)).toBe("taken for dead: 1 refused: 0");
});

test("reach only the pair's program: no socket shares its port, and after a kill it gets the port back at once, unless another is first", () => {
  const alone = "bound 1 - Address already in use";
  expect(pairTrial("beside").split("\n")).toEqual([
    ...[alone, alone, "first: it has the port"],
    // Binding a socket a second time is another error.
    ...["Address already in use - Invalid argument", alone],
  ]);
});

test("a hand-over lasts no longer than its command, which fails unless the other machine carries, forwards and has copies", () => {
  expect(pairTrial("leaving", directoryOfTest()).split("\n")).toEqual([
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
