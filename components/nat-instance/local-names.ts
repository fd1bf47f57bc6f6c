/** Short names for the local variables of a pair's Python: user data is small. */

/** Names of local variables; `s` is `self`. Capital letters are names that several functions use. */
const LETTERS = "abcdefghijklmnopqrtuvwxyz";
const TOKEN = /[bfr]*"(?:[^"\\\n]|\\.)*"|[bfr]*'(?:[^'\\\n]|\\.)*'|\n *|\w+|./g;
/** A function of a file or of a class, with its body. */
const FUNCTION = /^( ?)def .*\n(?:\1 .*\n)*/gm;
/**
 * Compacted Python with one letter for each local variable of a function, and without line breaks in brackets. A
 * parameter with a default keeps its name, because calls name it.
 */
export function withShortLocals(text: string): string {
  return joined(text).replaceAll(FUNCTION, (body) => {
    const letters = new Map(localsOf(body).map((name, at) => [name, LETTERS[at] ?? name]));
    const depths = depthsOf(body);
    return depths
      .map(([token, depth], at) => {
        const keyword = depth > 0 && depths[at + 1]?.[0] === "=" && depths[at + 2]?.[0] !== "=";
        return keyword || depths[at - 1]?.[0] === "." ? token : shortened(token, letters);
      })
      .join("");
  });
}

/** Each token, and how many brackets are open before it. */
function depthsOf(text: string): [token: string, depth: number][] {
  let depth = 0;
  return (text.match(TOKEN) ?? []).map((token) => {
    const before = depth;
    depth += /^[([{]$/.test(token) ? 1 : /^[)\]}]$/.test(token) ? -1 : 0;
    return [token, before];
  });
}

function joined(text: string): string {
  const depths = depthsOf(text);
  return depths
    .map(([token, depth], at) => {
      const words = [depths[at - 1], depths[at + 1]].every((one) => /\w/.test(one?.[0] ?? ""));
      return depth > 0 && token.startsWith("\n") ? (words ? " " : "") : token;
    })
    .join("");
}

/** A name, or the names within the braces of an f-string. */
function shortened(token: string, letters: ReadonlyMap<string, string>): string {
  return /^f["']/.test(token)
    ? token.replaceAll(
        /(?<=\{[^{}]*)(?<![\w.!:'"])\w+(?!['"])(?=[^{}]*\})/g,
        (name) => letters.get(name) ?? name,
      )
    : (letters.get(token) ?? token);
}

/** Names that a function binds, in the order of their appearance. */
function localsOf(body: string): string[] {
  const all = (pattern: RegExp) => [...body.matchAll(pattern)].map(([, found = ""]) => found);
  const parameters = all(/\bdef \w+\((.*)\):$/gm).flatMap((list) => list.split(","));
  const targets = [
    ...parameters.filter((one) => !one.includes("=")),
    ...all(/^ +def (\w+)/gm).slice(body.startsWith(" ") ? 1 : 0),
    ...all(/^ +([\w.,* ()]+)=(?!=)/gm).filter((one) => one.split("(").length === one.split(")").length),
    ...all(/\bfor (.+?) in /g),
    ...all(/\bas (\w+):/g),
  ];
  const names = targets.flatMap((one) => one.match(/(?<![\w.])[A-Za-z]\w*(?![\w.])/g) ?? []);
  const place = (name: string) => body.search(new RegExp(`(?<![\\w.])${name}\\b`));
  return [...new Set(names)].filter((name) => name !== "s").sort((a, b) => place(a) - place(b));
}
