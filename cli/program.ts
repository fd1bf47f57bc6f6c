/** The program's commands: each declared once, and parsed, helped and completed by commander. */
import { Command, CommanderError, Option } from "commander";
import { errorOf } from "./thrown.ts";
import { UsageError } from "./usage-error.ts";

/** An option: its long name is its key in {@link Declaration}. */
export interface DeclaredOption {
  readonly help: string;
  /** Placeholder of its value. @default it takes none */
  readonly value?: string;
  /** Whether it may be given more than once. @default false */
  readonly repeated?: true;
  /** Text before any is given, shown in the help. @default none */
  readonly default?: string;
  /** Whether `--no-` before its name means the opposite. @default false */
  readonly either?: true;
  /** Options that it excludes, and why, if that is not obvious. */
  readonly conflicts?: readonly string[];
  readonly because?: string;
  readonly needs?: string;
}

/** A command: all that its help, parser, completion and reference page need. */
export interface Declaration {
  /** One or two words. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly options: Readonly<Record<string, DeclaredOption>>;
  /** Placeholder of the words that are no options. @default it takes none */
  readonly files?: string;
  /** Paragraphs below the options, the last of which gives the exit statuses. */
  readonly notes: readonly string[];
}

type Value<O extends DeclaredOption> = O extends { value: string }
  ? O extends { repeated: true }
    ? readonly string[] | undefined
    : O extends { default: string }
      ? string
      : string | undefined
  : O extends { either: true }
    ? boolean | undefined
    : boolean;

/** A command line's values by option, and its other words. */
export type Values<D extends Declaration> = {
  readonly [Name in keyof D["options"]]: Value<D["options"][Name]>;
} & { readonly files: readonly string[] };

/** Exit statuses that mean the same for every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

interface Writable {
  write(text: string): unknown;
}

export interface Streams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export const PROGRAM = "egress-bench";

const HELP_WIDTH = 80;

/** npm settings that a person may have set for other reasons: they are ignored. */
const NPM_OWN = ["json", "yes"];

function commanderOption(name: string, option: DeclaredOption, once: (name: string) => void): Option {
  const { value, help, repeated } = option;
  const made = new Option(`--${name}${value === undefined ? "" : ` <${value}>`}`, help);
  if (option.default !== undefined) made.default(option.default);
  if (value !== undefined) {
    const given: string[] = [];
    made.argParser((text: string) => {
      if (text === "" || text.startsWith("--")) {
        throw new UsageError(`--${name}: expected a value; got nothing`);
      }
      if (repeated === undefined) {
        once(name);
        return text;
      }
      given.push(text);
      return given;
    });
  }
  return made;
}

/** commander's name of an option. */
function attributeOf(option: string): string {
  return option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** @param act Called with the values of a command line that is in order. */
function commandOf<const D extends Declaration>(
  declaration: D,
  { stdout }: Streams,
  act: (values: Values<D>) => void,
): Command {
  const { name, description, summary, options, notes, files } = declaration;
  const command = new Command(name.split(" ").at(-1));
  const given = new Set<string>();
  const once = (option: string) => {
    if (given.has(option)) throw new UsageError(`--${option}: expected once; got it twice`);
    given.add(option);
  };
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
    .configureHelp({
      helpWidth: HELP_WIDTH,
      // commander puts texts between quotes.
      optionDescription: ({ description: text, defaultValue }) =>
        defaultValue === undefined ? text : `${text} (default: ${defaultValue})`,
      commandUsage: () => `${PROGRAM} ${name} [options]${files === undefined ? "" : ` [${files}...]`}`,
    })
    .description(description)
    .summary(summary)
    .helpOption("--help", "this text")
    .addHelpText("after", () =>
      notes.map((note) => `\n${command.createHelp().boxWrap(note, HELP_WIDTH)}`).join("\n"),
    )
    .action(() => {
      for (const option of Object.keys(options).filter((name) => given.has(name))) {
        const { conflicts = [], because, needs } = options[option] as DeclaredOption;
        const other = conflicts.find((one) => given.has(one));
        if (other !== undefined) {
          const why = because === undefined ? "" : `: ${because}`;
          throw new UsageError(`--${option} and --${other} exclude each other${why}; leave one out`);
        }
        if (needs !== undefined && !given.has(needs)) {
          throw new UsageError(`--${option} needs --${needs}; add it, or leave --${option} out`);
        }
      }
      const texts = command.opts();
      const named = Object.entries(options).map(([option, { value, either }]) => {
        if (value !== undefined) return [option, texts[attributeOf(option)]];
        return [option, given.has(option) || (either && !given.has(`no-${option}`) ? undefined : false)];
      });
      act({ ...Object.fromEntries(named), files: command.args });
    });
  if (files !== undefined) command.argument(`[${files}...]`);
  for (const [option, declared] of Object.entries(options)) {
    command.addOption(commanderOption(option, declared, once));
    if (declared.either) command.addOption(new Option(`--no-${option}`));
    for (const one of [option, `no-${option}`]) command.on(`option:${one}`, () => given.add(one));
  }
  return command;
}

/** A command line refused by commander, as the product's errors are worded. */
function refusal(error: unknown): Error {
  if (!(error instanceof CommanderError)) {
    return errorOf(error);
  }
  const missing = /option '(--[\w-]+) <.*>' argument missing/.exec(error.message)?.[1];
  const text = error.message
    .replace(/^error: /, "")
    .replace(
      /\n?\(Did you mean (?:one of )?(.*)\?\)/,
      (_, names: string) => `; did you mean ${names.replaceAll(", ", " or ")}?`,
    );
  return new UsageError(missing === undefined ? text : `${missing}: expected a value; got nothing`);
}

/** Options that npm took for itself, because they stood before `--`. @throws {UsageError} */
function refuseTaken({ options }: Declaration, environment: NodeJS.ProcessEnv): void {
  const taken = Object.keys(options).filter(
    (name) => !NPM_OWN.includes(name) && environment[`npm_config_${name.replaceAll("-", "_")}`],
  );
  if (taken.length > 0) {
    const names = taken.map((name) => `--${name}`).join(" and ");
    throw new UsageError(
      `npm took ${names} for itself: put "--" before the command's options, as in npm run COMMAND -- ${names}`,
    );
  }
}

/**
 * The values of a command line; null if it asked for help, which is written.
 *
 * @param environment Where npm leaves options before `--`. @default this process's
 * @throws {UsageError} for an unknown option, with the nearest one, for an option without a value or given more than once, for
 * options that exclude each other, and for options that npm took
 */
export function parseCommand<const D extends Declaration>(
  declaration: D,
  argv: readonly string[],
  streams: Streams,
  environment: NodeJS.ProcessEnv = process.env,
): Values<D> | null {
  refuseTaken(declaration, environment);
  let values: Values<D> | null = null;
  try {
    commandOf(declaration, streams, (read) => {
      values = read;
    }).parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw refusal(error);
  }
  return values;
}

/**
 * Parses a command line and runs the command, or writes its help; says why it failed.
 *
 * @param usual Another error class that means a wrong command line, besides {@link UsageError}.
 * @returns the exit status
 */
export function runCommand<const D extends Declaration, Status extends number | Promise<number>>(
  declaration: D,
  argv: readonly string[],
  streams: Streams,
  run: (values: Values<D>) => Status,
  usual: new (message: string) => Error = UsageError,
): Status | number {
  const failed = (thrown: unknown) => {
    const error = refusal(thrown);
    streams.stderr.write(`${PROGRAM} ${declaration.name}: ${packageWords(error) ?? error.message}\n`);
    return error instanceof UsageError || error instanceof usual ? EXIT.usage : EXIT.failed;
  };
  try {
    const values = parseCommand(declaration, argv, streams);
    if (values === null) return EXIT.ok;
    const status = run(values);
    return (status instanceof Promise ? status.catch(failed) : status) as Status;
  } catch (error) {
    return failed(error);
  }
}

/** How to install a package that is loaded late and is not there. Null: the error is another. */
function packageWords({ message, ...error }: Error): string | null {
  const { code } = error as NodeJS.ErrnoException;
  const [, name] = /Cannot find (?:package|module) '(@[\w-]+\/[\w-]+|[a-z][\w.-]*)/.exec(message) ?? [];
  return name === undefined || !/^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? "")
    ? null
    : `this needs the package ${name}, which is not installed; run: npm install ${name}`;
}

/** The program without a known command: its help, its version, or the nearest command. @throws {UsageError} */
export function withoutCommand(
  declarations: readonly Declaration[],
  argv: readonly string[],
  { stdout }: Streams,
  version: string,
): void {
  const made = (name: string) =>
    new Command(name)
      .exitOverride()
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
      .configureHelp({ helpWidth: HELP_WIDTH, subcommandTerm: (command) => command.name() })
      .helpOption("--help", "this text; after a command: its options")
      .helpCommand(false);
  const root = made(PROGRAM)
    .description("Deploys ways out of a private subnet, load-tests them, and puts performance beside money.")
    .version(version, "--version", "the version");
  for (const { name, summary } of declarations) {
    const [group = "", word] = name.split(" ");
    if (word === undefined) root.addCommand(made(group).summary(summary));
    else {
      const parent = root.commands.find((one) => one.name() === group) ?? made(group);
      if (parent.parent === null) root.addCommand(parent.summary("a NAT instance's user data or disk image"));
      parent.addCommand(made(word).summary(summary));
    }
  }
  try {
    const isGroup = argv.length === 1 && root.commands.some((one) => one.name() === argv[0]);
    root.parse(argv.length === 0 || isGroup ? [...argv, "--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw refusal(error);
  }
}

export function helpOf(declaration: Declaration): string {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  parseCommand(declaration, ["--help"], { stdout: { write }, stderr: { write } }, {});
  return text;
}

const inBash = (words: string) =>
  `_egress_bench() {\n  local IFS=$'\\n' line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"\n  COMPREPLY=($(compgen -W "$(case "\${line//$'\\n'/ }" in\n${words}  esac)" -- "\${COMP_WORDS[COMP_CWORD]}"))\n}\ncomplete -o default -F _egress_bench ${PROGRAM}\n`;

/** A shell's completion of commands and options: a script to be read by bash, or by zsh with its own bashcompinit. */
export function completion(declarations: readonly Declaration[], shell: "bash" | "zsh"): string {
  const cases = declarations.map(({ name, options }) => {
    const flags = Object.entries(options).flatMap(([option, { either }]) =>
      either ? [`--${option}`, `--no-${option}`] : [`--${option}`],
    );
    return `    "${name}"*) printf '%s\\n' ${[...flags, "--help"].join(" ")} ;;\n`;
  });
  const firsts = [...new Set(declarations.map(({ name }) => name.split(" ")[0]))];
  const seconds = declarations.flatMap(({ name }) => name.split(" ").slice(1));
  const script = inBash(
    `${cases.join("")}    nat) printf '%s\\n' ${seconds.join(" ")} ;;\n    "") printf '%s\\n' ${firsts.join(" ")} --help --version ;;\n`,
  );
  return shell === "zsh" ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script;
}
