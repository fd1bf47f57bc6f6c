/** Command lines as data: the host agent's contract carries the templates of the cases' commands. */

/** Words of a command line, in which `{name}` stands for a value. */
export interface TemplatePart {
  readonly words: readonly string[];
  /** The part is left out if this value is null or false. @default always present */
  readonly when?: string;
}

type Values = Readonly<Record<string, string | number | boolean | null>>;

export function filled(template: readonly TemplatePart[], values: Values): string[] {
  return template
    .filter(({ when }) => when === undefined || (values[when] !== null && values[when] !== false))
    .flatMap(({ words }) =>
      words.map((word) => word.replaceAll(/\{(\w+)\}/g, (_, name) => `${values[name]}`)),
    );
}
