/** Checks a project's types with its own TypeScript. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type ts from "typescript";

/**
 * Compiler errors about a project's options, about the syntax of all files read, and about the types of the files that
 * `whose` names. Checking the clouds' SDKs' declarations would take as long as everything else.
 *
 * @param project Directory of a tsconfig.json.
 * @param compilers Directory of the project with the compiler. @default this one's
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

/** Parsed declarations of packages, for all projects with the same packages and compiler. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A compiler host that reads a package's file once: parsing and binding them is nine tenths of a project's check. */
function hostOf(compiler: typeof ts, options: ts.CompilerOptions): ts.CompilerHost {
  const host = compiler.createCompilerHost(options);
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, language, ...rest) => {
    if (!name.includes("/node_modules/")) {
      return host.getSourceFile(name, language, ...rest);
    }
    // Declarations are the same for every language version.
    const format = typeof language === "object" ? language.impliedNodeFormat : undefined;
    const key = JSON.stringify([compiler.version, name, format]);
    if (!parsed.has(key)) parsed.set(key, host.getSourceFile(name, language, ...rest));
    return parsed.get(key);
  };
  return { ...host, getSourceFile };
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(String(diagnostic.messageText));
}
