/**
 * The role of a pair's machine: what it does in each situation. That one machine carries again after any faults, and that program and
 * model agree, is explored by `tests/model/role-model.test.ts`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { HighAvailability } from "../../../components/nat-instance/high-availability-args.ts";
import { conntrackdConfiguration } from "../../../components/nat-instance/pair-configuration.ts";
import { setUpText } from "../../../components/nat-instance/part.ts";
import { pairProgram, pairTrial } from "../../helpers/pair-python.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";

test("a machine ignores TCP windows once the other one may have carried, and only then", () => {
  expect(pairTrial("windows").split("\n")).toEqual([
    "booted, took: 0",
    "stood by, purged, took: 0",
    "stood by, purged, took before the flush: 1",
    "stood by, purged twice, took before the flush: 1",
    "stood by, purged, took while the flush was under way: 1",
    "stood by, took before it purged: 1",
    "handed over to nobody: 0",
    "handed over, the other one took without being heard: 1",
    "started again, nobody else carried: 0",
    "started again, the other one carried: 1",
    "started again, no answer: 1",
    "started again, both took at once: 1",
    "the other one carried, then handed over to nobody: 1",
    "the other one carried, then started again: 1",
    "handed over, the other one took without being confirmed, took: 1",
    "started again, purged before a late answer: 0",
  ]);
});

test("the program expects the flush when conntrackd's configuration has it", () => {
  const [, seconds] = /^FLUSH_SECONDS = (\d+)$/m.exec(readFileSync(`${pairProgram}/daemon.py`, "utf8")) ?? [];
  expect(conntrackdConfiguration({ self: "10.0.0.5", peer: "10.0.0.6" } as HighAvailability, 240)).toContain(
    `PurgeTimeout ${seconds}\n`,
  );
});

test("a new daemon has conntrackd read the kernel's table, since the last one may have ended between a flush and that", () => {
  expect(pairTrial("beginning").split("\n")).toEqual([
    "conntrackd answers: -n -R, True; , True",
    "it reads a full table for longer than the timeout: -n -R, True; , True",
    "it does not answer yet: -n, False; -n -R, True",
    "it refuses to read: -n -R, False; -n -R, True",
    "it ends at once: started in [1, 3, 5, 7, 9]",
  ]);
});

test("a machine looks and hands over while a slow conntrackd or kernel still works on its take-over, in the order asked", () => {
  expect(pairTrial("slow-taken").split("\n")).toEqual([
    "looked, -f, -R, -B, looked, released, the peer is sent all, -f external, -n, the kernel goes on",
    "asked by a late thread:",
  ]);
});

/** Runs shell beside a program's file of this age; `said` writes another. */
function withFileOf(age: string, script: string): string {
  const said = `said() { echo '{"written": '$(date -d "$1" +%s)'}' > said; touch -d "$1" said; }; said '${age}'`;
  return execFileSync("sh", ["-c", `${said}\n${script}`], { cwd: directoryOfTest(), encoding: "utf8" });
}

test.each([
  ["an hour ago", "1 hour ago"],
  ["in an hour, because the clock was set back", "1 hour"],
])("a dead program's status and metrics do not count as new if written %s", (_, age) => {
  const known = `import sys; sys.path.insert(0, "${pairProgram}"); import main; main.STATUS_FILE = "said"; print(main.known() is None)`;
  // A copy of the file, or another touch, makes it no newer.
  const read = `python3 -B -c '${known}'; `;
  expect(withFileOf(age, `${read} touch said; ${read} said now; ${read}`)).toBe("True\nTrue\nFalse\n");
  const find = /find (\S+ .*?) -exec/
    .exec(setUpText("metrics-program.sh"))?.[1]
    ?.replace("/run/egress-bench-ha.prom", "said");
  expect(withFileOf(age, `find ${find}; touch said; find ${find}`)).toBe("said\n");
});

test("a machine with a silent peer looks at once and then less often, and never twice between two ticks", () => {
  const script = `
import sys
sys.path.insert(0, sys.argv[1])
from role import *
rules = Rules(dead=3, listen=15, vain=50, patience=50, most_patience=6000, retry=5, most_retry=40, look=50, answer=10)
me, looks, answered = first_state(rules)._replace(wants=True, confirmed=True, wait=50, peer=Word(0, False, False, True, False)), [], False
for tick in range(400):
    for early in (False, True, True):
        me, actions = step(me, Seen(early=early, carries=True if answered else None), rules, True)
        answered = LOOK in actions
        looks += [tick] if answered else []
print(*looks)
`;
  const looks = execFileSync("python3", ["-B", "-c", script, pairProgram], { encoding: "utf8" }).trim();
  expect(looks).toBe("7 12 22 42 82 132 182 232 282 332 382");
});

test("a machine that took over while EC2 refused carries within three seconds after EC2 answers again", () => {
  const script = `
import sys
sys.path.insert(0, sys.argv[1])
from daemon import rules_of
from role import *
rules = rules_of({"advertisementMs": 100, "outside": {"kind": "ec2"}})
ANSWER, worst = 2, 0
for returns in range(600, 700):
    me, asked, here = first_state(rules)._replace(peer=Word(1, True, True, True, False), released=True), None, False
    for tick in range(returns + 100):
        seen = Seen(busy=asked is not None)
        if asked is not None and tick >= asked[0] + ANSWER:
            answers = asked[0] >= returns
            here = here or (answers and asked[1] == TAKE)
            seen, asked = Seen(carries=here if answers else None, unknown=not answers), None
        me, actions = step(me, seen, rules, True)
        if actions and actions[0] in (TAKE, LOOK):
            asked = (tick, actions[0])
        if me.confirmed:
            break
    worst = max(worst, tick - returns)
print(worst)
`;
  const worst = Number(execFileSync("python3", ["-B", "-c", script, pairProgram], { encoding: "utf8" }));
  expect(worst).toBeGreaterThan(0);
  expect(worst).toBeLessThan(30);
});
