/** Faults of the machine that the update runs on, and a host whose kernel ends what measures. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CLIENT, type Fault } from "./fault.ts";
import { on } from "./mid-case.ts";

const helper = (name: string) => fileURLToPath(new URL(`../helpers/${name}`, import.meta.url));
/** A user and group that nobody is. */
const STRANGER = "65533";
const RUNNER = "$(cat $(ls -t /root/.egress-bench/runs/*victim*/runner.pid | head -n 1))";

/** Where everybody may make files, as in /tmp, and a stranger plants links as soon as something appears. */
const shared = mkdtempSync(`${tmpdir()}/egress-bench-shared-`);
const own = mkdtempSync(`${tmpdir()}/egress-bench-stranger-`);
const [trap, managed] = [`${own}/trap`, `${own}/managed`];
let stranger: ChildProcess | undefined;
process.on("exit", () => {
  stranger?.kill("SIGKILL");
  for (const directory of [shared, own]) rmSync(directory, { recursive: true, force: true });
});

async function plantLinks(): Promise<void> {
  chmodSync(shared, 0o1777);
  chmodSync(own, 0o777);
  writeFileSync(trap, "untouched");
  chmodSync(trap, 0o666);
  const as = [`--reuid=${STRANGER}`, `--regid=${STRANGER}`, "--clear-groups"];
  stranger = spawn("setpriv", [...as, "/usr/bin/python3", "-", shared, trap, managed], {
    // It may not be able to read the checkout.
    stdio: [openSync(helper("link-planter.py"), "r"), "ignore", "inherit"],
  });
  const deadline = performance.now() + 60_000;
  while (!existsSync(managed)) {
    if (performance.now() > deadline) throw new Error("the other account's program does not start");
    await delay(50);
  }
}

function lookAtTrap(): void {
  stranger?.kill("SIGKILL");
  stranger = undefined;
  const [text, did] = [trap, managed].map((file) => readFileSync(file, "utf8"));
  rmSync(managed);
  if (text !== "untouched" || did !== "watching\n") {
    throw new Error(
      `expected the other account's links to catch nothing; its program wrote: ${did}; the link's target has: ${text?.slice(0, 200)}`,
    );
  }
}

export const operatorsMachine: readonly Fault[] = [
  {
    name: "the operator's clock jumps by an hour and back",
    environment: { NODE_OPTIONS: `--import ${helper("jumping-clock/jumping-clock.mjs")}` },
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "another account plants links where temporary files go",
    environment: { TMPDIR: shared },
    before: plantLinks,
    repair: lookAtTrap,
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "all measuring processes of the client are killed, as if out of memory",
    strike: on(
      CLIENT,
      // One of them may end by the other's death before its turn comes.
      `kill -9 ${RUNNER} $(pgrep -f '[a]gent.py (serve|keep)') $(pgrep -f '[i]perf3 .*-c ') || :`,
    ),
    ends: "in failure",
    says: /was ended before it had a report; the next `pulumi up` measures this case again/,
  },
];
