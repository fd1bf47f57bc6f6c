/**
 * `npm run local` in odd surroundings, or while they change. Each row's shell runs in mounts of the command's own, in its clone:
 * what it mounts ends with the command.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { labOf } from "../../cli/pulumi/workspace.ts";
import { labName } from "../../components/local/lab-name.ts";
import { freshCheckout } from "../helpers/checkout.ts";
import { guardLab } from "../helpers/left-behind.ts";
import { found, labWork, leftOf, MARK, root, stackFile, start, whatStays } from "./ancestors.ts";
import type { Outcome } from "./fault.ts";

/** Its shell knows $dir, a directory of its own, $results, the file of results, $stack, $lab and $clone. */
export interface LocalRun {
  readonly name: string;
  /** Shell ahead of the command, in its mounts. */
  readonly before?: string;
  /** Shell while the case is measured. */
  readonly strike?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Directory of a clone of its own. @default this one */
  readonly clone?: string;
  /** Exit status. @default 0 */
  readonly status?: number;
  /** A line that the person sees. */
  readonly says: RegExp;
  /** Shell after the command that fails where something does not hold. @default the results are whole */
  readonly holds?: string;
}

const WHOLE = 'grep -q \'"status": "ok"\' "$results"; ! pgrep -f "egress-bench-host $stack"';
const RESULTS = /^Results: .*results\.json/;

/** Kills Pulumi in its n-th call, as soon as a line of shell succeeds. */
const killing = (nth: number, when: string) => `
{ head -n 1 cli/pulumi/bin/pulumi
cat <<'END'
echo >> "$dir/calls"
if [ "$(wc -l < "$dir/calls")" = ${nth} ]; then
  (until ${when} || ! kill -0 $$; do sleep 0.05; done; kill -9 $$) </dev/null >/dev/null 2>&1 &
  ${when === "true" ? "wait" : ":"}
fi
END
tail -n +2 cli/pulumi/bin/pulumi; } > "$dir/pulumi"
chmod 755 "$dir/pulumi"
mount --bind "$dir/pulumi" cli/pulumi/bin/pulumi`;
const hosts = (count: string) => `test "$(pgrep -fc "^unshare.* egress-bench-host $lab ")" ${count}`;

/** Gives the clone this one's packages, and tools of its own: set-up writes its clone's place into them. */
const SHARED = `touch -d @0 package-lock.json
mkdir -p node_modules .egress-bench/stacks
mount --bind "$OLDPWD/node_modules" node_modules
cp -a "$OLDPWD/.tools" .tools
cp "$OLDPWD/.egress-bench/stacks/Pulumi.$stack.yaml" .egress-bench/stacks`;

/** Pulumi's call that destroys: a lab whose destroy fails is swept, and destroyed again. */
const DESTROY = 6;
const killed: readonly (readonly [when: string, nth: number, shell?: string])[] = [
  ["as it says its version", 1],
  ["as it looks for the stack", 2],
  ["as it makes the stack", 3],
  ["as it begins to deploy", 4],
  ["once it has made a host", 4, hosts("-ge 1")],
  ["as it reads the state", 5],
  ["as it begins to destroy", DESTROY],
  ["once it has destroyed a host", DESTROY, hosts("-lt 2")],
  ["as it removes the stack", 7],
];

export const localRuns: readonly LocalRun[] = [
  ...killed.map(
    ([when, nth, shell = "true"]): LocalRun => ({
      name: `Pulumi is killed ${when}`,
      before: killing(nth, shell),
      status: nth === DESTROY ? 0 : 1,
      says: nth === DESTROY ? RESULTS : /Command was killed with SIGKILL/,
      holds: `test "$(wc -l < "$dir/calls")" -ge ${nth}`,
    }),
  ),
  {
    name: "the directory of results is removed meanwhile",
    strike: 'rm -r "$dir/out"',
    says: RESULTS,
  },
  {
    name: "a device takes the place of the results meanwhile",
    strike: 'mknod "$dir/device" c 1 3; ln -s "$dir/device" "$results"',
    status: 1,
    says: /could not be written: it is a pipe, a device or a socket.*the results are in/,
    holds: 'test -c "$dir/device"',
  },
  ...(
    [
      ["pipe", 'mkfifo "$results"', 'test -p "$results"', /cannot be written: it is a pipe/],
      ["device", 'mknod "$results" c 1 3', 'test -c "$results"', /cannot be written: it is a pipe/],
      ["directory", 'mkdir "$results"', 'rmdir "$results"', /cannot be written: it is a directory/],
    ] as const
  ).map(
    ([what, make, holds, says]): LocalRun => ({
      name: `the file of results is a ${what}`,
      before: `mkdir "$dir/out"; ${make}`,
      status: 2,
      says,
      holds,
    }),
  ),
  {
    name: "the clone is read-only",
    before: 'mount --bind "$PWD" "$PWD"; mount -o remount,bind,ro "$PWD"; cd "$PWD"',
    status: 1,
    says: /read-only/i,
    holds: 'test ! -e "$results"',
  },
  {
    name: "the clone's path has a space, quotes and $",
    clone: `it's a "clone" of $HOME; here`,
    before: SHARED,
    says: RESULTS,
  },
  {
    name: "the clone's path has % and #",
    clone: "%2e #1",
    before: SHARED,
    status: 1,
    says: /cannot hold Pulumi's state: its path has %, # or \?/,
    holds: 'test ! -e "$results"',
  },
  {
    name: "the home directory does not exist",
    environment: { HOME: "/dev/null/home" },
    says: RESULTS,
  },
];

/** Makes one of {@link localRuns}. */
export async function tryLocalRun(row: LocalRun): Promise<Outcome> {
  const { name, before = "", strike, environment, status = 0, says, holds = WHOLE } = row;
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-local-`);
  const { args, stack, begun } = labWork(`${directory}/out`);
  const clone = row.clone === undefined ? root : `${directory}/${row.clone}`;
  if (row.clone !== undefined) {
    freshCheckout(clone);
    guardLab(labName(stack, clone, `file://${clone}/.egress-bench/state`));
  }
  const results = `${directory}/out/results.json`;
  const own = {
    dir: directory,
    results,
    stack,
    clone,
    lab: labOf(stack),
    TMPDIR: directory,
    [MARK]: directory,
  };
  const shell = `set -eu\ncd "$clone"\n${before}\nexec npm run local -- "$@"`;
  const run = start(["unshare", "--mount", "sh", "-c", shell, "sh", ...args], { ...own, ...environment });
  const wrong: string[] = [];
  const hold = (script: string) => {
    const ended = spawnSync("sh", ["-euc", script], { env: { ...process.env, ...own }, encoding: "utf8" });
    if (ended.status !== 0) wrong.push(`${script}: ${ended.status} ${ended.stderr}`);
  };
  try {
    if (strike !== undefined) {
      await found(() => begun(run.said()) || undefined, run);
      hold(strike);
    }
    const code = await run.code();
    const saw = run
      .said()
      .split("\n")
      .find((line) => says.test(line));
    if (saw === undefined) wrong.push(`no line matches ${says}: ${run.said().slice(-1200)}`);
    if (code !== status) wrong.push(`it ended with ${code}, expected ${status}`);
    hold(holds);
    const left = (await leftOf(`${MARK}=${directory}`)).map((one) => one.command.slice(0, 200));
    wrong.push(...(await whatStays(stack, name, directory)));
    return {
      saw: saw?.slice(0, 300) ?? "",
      exit: String(code),
      left,
      goOn: "what it says",
      wrong,
    };
  } finally {
    rmSync(stackFile(stack), { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}
