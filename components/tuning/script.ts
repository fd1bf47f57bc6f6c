/**
 * Shell that gives a host a tuning profile and takes it back. What was there before stays on the host until then, in
 * `~/.egress-bench/tuning/`: `saved` has the old values, `profile` the name of what is applied, `notes` what the kernel
 * or the network namespace refused, `boot` the boot that it holds for, `owner` who may take it back.
 */
import { quote } from "../../bench/index.ts";
import { textOf } from "../shared/shell.ts";
import { MTU, type TunedSysctl } from "./profiles.ts";

const functions = textOf("./settings.sh", import.meta.url).trimEnd();

/** Takes back whatever profile is applied; nothing where none is. */
export const undoScript = ["set -eu", functions, "undo"].join("\n");

/** Takes back what `owner` applied and nobody has replaced since. */
export function undoOwnScript(owner: string): string {
  const mine = `[ "$(cat "$dir/owner" 2>/dev/null)" = ${quote(owner)} ] || exit 0`;
  return ["set -eu", functions, mine, "undo"].join("\n");
}

const apply = textOf("./apply.sh", import.meta.url).trimEnd();

const DEFAULT_DEVICE = `"mtu $(ip -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1)"`;

/** Applies a profile, after taking back the one before. */
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
