/**
 * Shell that gives a host a tuning profile and undoes it. The old state stays on the host until then, in
 * `~/.egress-bench/tuning/`: `saved` has the old values, `profile` the name of the applied profile, `notes` what the kernel
 * or the network namespace refused, `boot` the boot that it applies to, `owner` who may undo it.
 */
import { quote } from "../../bench/index.ts";
import { textOf } from "../shared/shell.ts";
import { MTU, type TunedSysctl } from "./profiles.ts";

const functions = textOf("./settings.sh", import.meta.url).trimEnd();

/** Undoes any applied profile; does nothing without one. */
export const undoScript = ["set -eu", functions, "undo"].join("\n");

/** Undoes a profile that `owner` applied, unless another owner has replaced it since. */
export function undoOwnScript(owner: string): string {
  const mine = `[ "$(cat "$dir/owner" 2>/dev/null)" = ${quote(owner)} ] || exit 0`;
  return ["set -eu", functions, mine, "undo"].join("\n");
}

const apply = textOf("./apply.sh", import.meta.url).trimEnd();

const DEFAULT_DEVICE = `"mtu $(ip -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1)"`;

/** Applies a profile, after undoing the one before. */
export function applyScript(name: string, settings: readonly TunedSysctl[], owner: string): string {
  return [
    ...["set -eu", "umask 077", functions, apply],
    `printf %s ${quote(owner)} > "$dir/owner"`,
    ...settings.map(
      ({ key, value }) => `change ${key === MTU ? DEFAULT_DEVICE : quote(key)} ${quote(value)}`,
    ),
    `printf %s ${quote(name)} > "$dir/profile"`,
  ].join("\n");
}
