/**
 * The disk of the state fills up before each call of Pulumi that `npm run compare` makes: a real one, of a mount namespace of its
 * own. What stays deployed is said, and once there is room again `--down` destroys all of it. Where the disk fills up in the middle of
 * an update, Pulumi cuts short the state and its backup: then `--down` says so again, and where to look.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type CompareRuns, openCompareRuns } from "../helpers/compare-run.ts";
import type { Outcome } from "./fault.ts";

/** From when on the disk is full. */
export interface FullFrom {
  /** Call of Pulumi, before which the disk fills up. */
  readonly nth: number;
  /** Not before: in the middle of that call, as soon as it has made something in the cloud. @default false */
  readonly within?: boolean;
}

/** Each call of Pulumi that a whole run of one stack makes (`tests/engine/cli/compare.test.ts`); the third deploys. */
export const fullFrom: readonly FullFrom[] = [1, 2, 3, 4, 5, 6].flatMap((nth) =>
  nth === 3 ? [{ nth }, { nth, within: true }] : [{ nth }],
);

const STILL = /^STILL DEPLOYED .*$/m;
const MEGABYTES = 96;
const argv = ["--stack", "direct", "--plan", "rtt", "--duration", "1", "--yes"];
/** As a person's: the state is saved at each step, with the one before beside it. */
const usual = { PULUMI_SKIP_CHECKPOINTS: "false", PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "false" };

/** A disk of {@link MEGABYTES}, as everybody on the machine reaches it. */
async function smallDisk(): Promise<{ readonly directory: string; readonly holder: ChildProcess }> {
  const holder = spawn(
    "unshare",
    ["--mount", "sh", "-c", `mount -t tmpfs -o size=${MEGABYTES}m tmpfs /mnt && echo mounted && read -r _`],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await once(holder.stdout as NodeJS.ReadableStream, "data");
  return { directory: `/proc/${holder.pid}/root/mnt`, holder };
}

/**
 * A `pulumi` before whose n-th call the disk fills up, or once that call has made something in the cloud.
 *
 * @returns its directory
 */
function fillingPulumi(
  { directory, cloudFile }: CompareRuns,
  disk: string,
  { nth, within }: FullFrom,
): string {
  const bin = mkdtempSync(`${directory}/bin-`);
  const fill = `cat /dev/zero > ${disk}/filling 2>/dev/null`;
  const filling = within ? `{ while [ ! -s ${cloudFile} ]; do sleep 0.05; done; ${fill}; } &` : fill;
  writeFileSync(
    `${bin}/pulumi`,
    `#!/bin/sh
echo >> ${bin}/calls
[ "$(wc -l < ${bin}/calls)" != ${nth} ] || ${filling}
PATH=$(echo "$PATH" | cut -d : -f 2-)
exec pulumi "$@"
`,
    { mode: 0o755 },
  );
  return bin;
}

/** Runs `npm run compare` with a disk that fills up, makes room, and destroys what is left. */
export async function tryFullState(from: FullFrom): Promise<Outcome> {
  const { directory: disk, holder } = await smallDisk();
  const runs = await openCompareRuns();
  try {
    const environment = { ...usual, PULUMI_BACKEND_URL: `file://${disk}` };
    const bin = fillingPulumi(runs, disk, from);
    const full = await runs.run(argv, {
      environment: { ...environment, PATH: `${bin}:${process.env.PATH}` },
    });
    const [left] = STILL.exec(full.stderr) ?? [];
    const deployed = runs.isDeployed();
    rmSync(`${disk}/filling`);
    const down = await runs.run(["--stack", "direct", "--down", "--yes"], { environment });
    const isLost = /its state, .*, cannot be read, and neither can a backup: look for what/.test(down.stderr);
    const isDown = down.status === 0 && !runs.isDeployed();
    const error = full.stderr.split("\n").find((line) => /space/.test(line));
    return {
      saw: (left ?? error ?? full.stderr.slice(-600)).slice(0, 300),
      exit: String(full.status),
      goOn: isLost ? "in the cloud's console" : "npm run compare -- --down",
      wrong: [
        ...(full.status === 0 ? ["the run succeeded"] : []),
        ...(deployed === (left !== undefined)
          ? []
          : [`deployed: ${deployed}; said: ${full.stderr.slice(-1500)}`]),
        ...(isDown || (from.within && isLost && STILL.test(down.stderr))
          ? []
          : [`--down ended with ${down.status}: ${down.stderr.slice(-600)}`]),
      ],
    };
  } finally {
    runs.dispose();
    holder.stdin?.end();
  }
}
