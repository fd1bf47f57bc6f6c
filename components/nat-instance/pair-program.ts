/** The program that runs on both machines of a pair: the Python files of `pair/`, and the parameters that they read. */
import { readdirSync, readFileSync } from "node:fs";
import { SOURCES, terse } from "../shared/shell.ts";
import type { HighAvailability, PairMove } from "./high-availability-args.ts";
import { withShortLocals } from "./local-names.ts";
import { SIGNS_PORT } from "./pair-configuration.ts";

const DEFAULT_ADVERTISEMENT_MS = 100;
/** Kinds of {@link PairMove}, one file each; the simple ones import `nothing`. */
const KINDS: readonly string[] = ["ec2", "probe", "addresses", "nothing"] satisfies PairMove["kind"][];

/** The parameters that `pair/main.py` reads as JSON. */
export function pairParameters(ha: HighAvailability): Record<string, unknown> {
  const { self, peer, translatedTo, move, check, advertisementMs = DEFAULT_ADVERTISEMENT_MS, key } = ha;
  const sessions = translatedTo !== undefined;
  return { self, peer, port: SIGNS_PORT, advertisementMs, sessions, check, outside: move, key };
}

/** Name and text of each file that a machine of this kind needs, {@link compact}: user data is small. */
export function pairSources(kind: PairMove["kind"]): [name: string, text: string][] {
  const directory = new URL("./pair/", import.meta.url);
  const needed = kind === "ec2" ? [kind] : [kind, "nothing"];
  const others = KINDS.filter((one) => !needed.includes(one)).map((one) => `${one}.py`);
  return readdirSync(directory)
    .filter((name) => name.endsWith(".py") && !others.includes(name))
    .sort()
    .map((name) => [name, compact(readFileSync(new URL(name, directory), "utf8"))]);
}

/**
 * Python without docstrings, comments, empty lines, type annotations and spaces around operators, indented by one, with
 * short names. Its behaviour stays the same: tests/unit/nat-instance/pair-sources.test.ts compares. Only for the files of
 * `pair/`, not for Python in general.
 */
export function compact(text: string): string {
  const plain = withShortNames(withoutTypes(text));
  // Python evaluates the types of a class's fields.
  const [imported, names = ""] = /^from typing import (.*)\n/m.exec(plain) ?? [""];
  const code = plain.replace(imported, "");
  const used = names.split(", ").filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const needed = used.length === 0 || names === "" ? "" : `from typing import ${used.join(", ")}\n`;
  return withShortLocals(withoutSpaces(plain.replace(imported, needed)));
}

/**
 * Names that only these files use, in no string and no library: each becomes one or two capital letters in user
 * data, the most used ones one.
 */
export const LONG_NAMES: readonly string[] = `
rules parameters confirmed rival wants known Seen State ask Word Rules bear dead backoff vain pid_of silent doubt arrived due patience
words retry result number busy tick PIDS alone purged epoch heard last early order TAKE challenged LOOK ANSWER_SECONDS unanswered stat_of
changed bad STATUS_FILE RELEASE paused tables moved released keys_until allocation last_carries ROLE_FILE command overtaken restarted
interface once running launch Check found mac CONFIGURATION stand_by PURGE word_of refused peer_acknowledges unknown here enter
hear keep until ignore_windows processor_ticks most_patience sessions_of first_state wake_write wake_read KEEP_SECONDS TAKEOVERS_FILE
most_retry questions step_down http_text requests MAC_BYTES COMMANDS role_of SYSTEMD ticked clock since ACKNOWLEDGED_FILE look_up publish
always method leave Daemon SILENT_SECONDS peer_copies failing sending fail look_up_for_ever self_address METRICS_FILE
LOOK_UP_SECONDS IDLE_SECONDS UDP_SECONDS FRESH_SECONDS took_over publish_role understand CLONE_NEWNET KEYS_SECONDS should_take publishing
PARAMETERS end_daemon challenge rules_of outranks taken commit carry NETWORK print_answer MOST_SECONDS for_ever Sessions follow counters
look_back Wire act wake full LOST ARRIVED flushed FLUSH_SECONDS interrupt`
  .trim()
  .split(/\s+/);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** One or two capital letters for each name. */
const shortNamesOf = (names: readonly string[]) =>
  new Map(
    names.map((name, at) => [
      name,
      `${at < 26 ? "" : ALPHABET[Math.floor(at / 26) - 1]}${ALPHABET[at % 26]}`,
    ]),
  );

const shortNames = shortNamesOf(LONG_NAMES);

/** No other name in these files is that short, except `s` for `self`. Strings keep it: `/proc/self`. */
export function withShortNames(text: string): string {
  return text
    .replaceAll(/\bself\b(?=[.,)])/g, "s")
    .replaceAll(/\b[A-Za-z]\w+\b/g, (name) => shortNames.get(name) ?? name);
}

function withoutTypes(text: string): string {
  const type = String.raw`[\w.]+(?:\[(?:[^[\]]|\[[^[\]]*\])*\])?`;
  return (
    text
      .replaceAll(/^ *"""[\s\S]*?"""\n/gm, "")
      .replaceAll(/^ *#.*\n/gm, "")
      .replaceAll(/ {2}# .*$/gm, "")
      .replaceAll(/\n{2,}/g, "\n")
      // The formatter's comma before a bracket on a line of its own, which no tuple of one has.
      .replaceAll(/,(?=\n *[)\]}])/g, "")
      .trimStart()
      .replaceAll(/^( {4})+/gm, (indent) => " ".repeat(indent.length / 4))
      .replaceAll(new RegExp(`^( *self\\.\\w+): ${type} = `, "gm"), "$1 = ")
      .replaceAll(/^( *def \w+\([^)]*\)) -> .*:$/gm, "$1:")
      .replaceAll(/^ *def \w+\([^)]*\):$/gm, (head) =>
        head.replaceAll(new RegExp(`: ${type}(?=[,)= \\n])`, "g"), ""),
      )
  );
}

/** Keeps strings and indentation: the text between strings may begin or end with an operator. */
function withoutSpaces(text: string): string {
  return text
    .split(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replaceAll(/(?<=\S|(?<![\s\S])) ?([=+\-*/<>,:|&%!]+) ?(?=\S|$)/gm, "$1"),
    )
    .join("");
}

/** Lines that only a single machine reaches: those that a peer's address skips, and its own check's figure. */
const OF_A_SINGLE_MACHINE =
  /^[ \t]*(?:\[ -n "\$peer_address" \] \|\| |find \/run\/egress-bench-nat-forwards ).*\n/gm;

/**
 * A pair's set-up script without a single machine's lines, comments and indentation (kept in its Python, where it matters) and
 * with short variable and function names: user data is small. The script composes names of `load_` and a data plane's name,
 * which stay.
 */
export function shortened(script: string): string {
  const parts = script
    .replaceAll(OF_A_SINGLE_MACHINE, "")
    .replaceAll(/watch_forwarding\(\) .*\n| && watch_forwarding\b/g, "")
    .split(SOURCES);
  const shell = parts.filter((_, at) => at % 2 === 0).join("");
  const found = [...shell.matchAll(/(?<=^|[ ;])(?!load_)([a-z0-9]+_[a-z0-9_]+)(?:=|\(\) [{(])/gm)].map(
    ([, name = ""]) => name,
  );
  const short = shortNamesOf([...new Set(found)]);
  return parts
    .map((part, at) =>
      at % 2 === 1
        ? part
        : terse(part).replaceAll(/(?<![\w./-])[a-z0-9]+_\w+(?![\w-])/g, (name) => short.get(name) ?? name),
    )
    .join("");
}
