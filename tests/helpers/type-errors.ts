/** A project's types, checked by the TypeScript that it has itself. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type ts from "typescript";

/**
 * What the compiler says against a project's options, against the syntax of all that it reads, and against the types of
 * the files that `whose` names. To check the declarations of the clouds' SDKs, which are theirs, takes as long as all
 * the rest.
 *
 * @param project Directory of a tsconfig.json.
 * @param compilers Directory of the project whose compiler it is. @default this one's
 */
export function typeErrors(
  project: string,
  whose: (file: string) => boolean,
  compilers: string = project,
): string[] {
  const compiler: typeof ts = createRequire(join(compilers, "package.json"))("typescript");
  const host = { ...compiler.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const config = compiler.getParsedCommandLineOfConfigFile(join(project, "tsconfig.json"), {}, host);
  if (config === undefined) throw new Error(`${project} has no tsconfig.json`);
  const program = compiler.createProgram(config.fileNames, config.options, hostOf(compiler, config.options));
  const files = program.getSourceFiles().filter(({ fileName }) => whose(fileName));
  const found = [
    ...config.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...files.flatMap((file) => program.getSemanticDiagnostics(file)),
  ];
  return found.map(({ file, messageText }) =>
    [file?.fileName, compiler.flattenDiagnosticMessageText(messageText, "\n")].filter(Boolean).join(": "),
  );
}

/** Declarations of packages that were parsed, for all projects that have the same packages and compiler. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A compiler's host that reads a package's file once: of a project's check, nine tenths are to parse and bind these. */
export function hostOf(compiler: typeof ts, options: ts.CompilerOptions): ts.CompilerHost {
  const host = compiler.createCompilerHost(options);
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, language, ...rest) => {
    if (!name.includes("/node_modules/")) {
      return host.getSourceFile(name, language, ...rest);
    }
    // Declarations are the same in every version of the language.
    const format = typeof language === "object" ? language.impliedNodeFormat : undefined;
    const key = JSON.stringify([compiler.version, name, format]);
    if (!parsed.has(key)) parsed.set(key, host.getSourceFile(name, language, ...rest));
    return parsed.get(key);
  };
  return { ...host, getSourceFile };
}

/** The host of a program to which packages are unknown, those at least that have `pattern` in their path: their types are `any`. */
export function withoutPackages(host: ts.CompilerHost, pattern: RegExp): ts.CompilerHost {
  return {
    ...host,
    fileExists: (name) => !pattern.test(name) && host.fileExists(name),
    directoryExists: (name) => !pattern.test(name) && (host.directoryExists?.(name) ?? true),
  };
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(String(diagnostic.messageText));
}
