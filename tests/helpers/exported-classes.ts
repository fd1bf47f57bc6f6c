/**
 * Finds the classes that modules export, with their comments. Only the sources are parsed: parsing the imported packages
 * takes a hundred times as long.
 */
import ts from "typescript";

export interface ExportedClass {
  /** Its name, preceded by the exporting module's directory below `components/`. */
  readonly name: string;
  /** Its comment without tags. */
  readonly words: string;
  /** The programs of its `@example`s. */
  readonly examples: readonly string[];
}

/** @param entries Paths of the modules. */
export function exportedClasses(entries: readonly string[]): ExportedClass[] {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, containing, redirect, given) =>
    names.map(({ text }) =>
      text.startsWith(".")
        ? ts.resolveModuleName(text, containing, given, host, undefined, redirect)
        : { resolvedModule: undefined },
    );
  const program = ts.createProgram(entries, options, host);
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
    return checker
      .getExportsOfModule(module)
      .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
      .filter(({ declarations = [] }) => declarations.some(ts.isClassDeclaration))
      .map((symbol) => ({
        name: `${entry.replace(/^.*components\/|index\.ts$/g, "")}${symbol.name}`,
        words: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        examples: symbol
          .getJsDocTags(checker)
          .filter(({ name }) => name === "example")
          .map(({ text }) => ts.displayPartsToString(text).replace(/^```ts\n|\n```$/g, "")),
      }));
  });
}
