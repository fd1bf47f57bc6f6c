#!/usr/bin/env node
/** The program `egress-bench`: help, completion, and the command of a command line, which alone is loaded. */
import { existsSync } from "node:fs";
import { VERSION } from "../bench/version.ts";
import { separateTemporary } from "../components/shared/files.ts";
import { commands } from "./commands.ts";
import { completion, EXIT, PROGRAM, runCommand, withoutCommand } from "./program.ts";
import { INTERRUPTED, onInterrupt } from "./terminal/interrupt.ts";
import { processOutput } from "./terminal/process-output.ts";
import { UsageError } from "./usage-error.ts";

type Run = (argv: readonly string[]) => number | Promise<number>;

/** Commands that need files which the package does not have. */
const ofClone: readonly string[] = ["local", "compare", "nat image"];

const runs: Readonly<Record<(typeof commands)[keyof typeof commands]["name"], Run>> = {
  local: async (argv) => (await import("./run/command.ts")).local(argv),
  compare: async (argv) => (await import("./run/command.ts")).compare(argv),
  report: async (argv) => (await import("./report/command.ts")).report(argv, processOutput()),
  choose: async (argv) => (await import("./choose/command.ts")).choose(argv, processOutput()),
  advise: async (argv) => {
    const [{ adviseCommand }, { ownStackFiles }] = await Promise.all([
      import("../packages/advise/cli/command.ts"),
      import("./pulumi/workspace.ts"),
    ]);
    const io = processOutput();
    const signal = onInterrupt(() => io.stderr.write("\nStopping ...\n"));
    const status = await adviseCommand(argv, { ...io, stackFiles: ownStackFiles, signal, now: new Date() });
    return signal.aborted ? INTERRUPTED : status;
  },
  history: async (argv) =>
    (await import("../packages/history/cli/command.ts")).history(argv, processOutput()),
  contribute: async (argv) => (await import("./contribute/command.ts")).contribute(argv, processOutput()),
  "nat script": async (argv) => {
    const { natScript } = await import("./nat-script/command.ts");
    const { stdout, ...io } = processOutput();
    // The script must be written exactly.
    return natScript(argv, { ...io, stdout: { write: (text) => stdout.writeExactly(text) } });
  },
  "nat image": async (argv) => {
    const { makeImage, natImage } = await import("./nat-image/command.ts");
    return natImage(argv, { ...processOutput(), make: makeImage });
  },
  completion: (argv) => {
    const { stdout, stderr } = processOutput();
    return runCommand(commands.completion, argv, { stdout, stderr }, ({ files: [shell] }) => {
      if (shell !== "bash" && shell !== "zsh") {
        throw new UsageError(`expected bash or zsh; got ${shell ?? "nothing"}`);
      }
      stdout.writeExactly(completion(Object.values(commands), shell));
      return EXIT.ok;
    });
  },
};

function needsClone(): never {
  throw new Error("this runs in a clone of the repository, which has the lab and its set-up");
}

/** Loads the command of a command line and runs it. @returns the exit status */
async function main(argv: readonly string[]): Promise<number> {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  const all = Object.values(commands);
  const command = all.find(({ name }) => `${argv.join(" ")} `.startsWith(`${name} `));
  if (command !== undefined) {
    // The program that makes images removes its files however this process ends.
    if (command.name !== "nat image") separateTemporary();
    const words = argv.slice(command.name.split(" ").length);
    const isHere =
      !ofClone.includes(command.name) || existsSync(new URL("../setup/setup.sh", import.meta.url));
    return isHere ? await runs[command.name](words) : runCommand(command, words, streams, needsClone);
  }
  try {
    withoutCommand(all, argv, streams, VERSION);
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(`${PROGRAM}: ${(error as Error).message}\n`);
    return EXIT.usage;
  }
}

main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
