/**
 * Texts of the page: a script from `live.ts`, `page.js`, and the style sheets. A clone makes them when the first page is made;
 * the package has this module with the texts in it, since it has no bundler.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Texts of the page's elements, none of which ends its element. */
export interface PageTexts {
  /** Works the answer out anew, as `egressAnswer`. */
  readonly liveScript: string;
  readonly pageScript: string;
  readonly pageStyle: string;
}

const styleSheets = ["colours.css", "page.css", "content.css", "windows.css"];

/** rolldown has no synchronous call. */
const bundle = `
import { rolldown } from "rolldown";
const made = await rolldown({ input: process.argv[1], platform: "browser" });
const { output } = await made.generate({ format: "iife", name: "egressAnswer", minify: true });
process.stdout.write(output[0].code.trim());
`;

/** Its source takes half a second of a processor. */
function makeTexts(): PageTexts {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const words = ["--input-type=module", "--eval", bundle, here("../live.ts")];
  const options = { cwd: here("."), encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  const texts = {
    liveScript: execFileSync(process.execPath, words, options),
    pageScript: readFileSync(here("page.js"), "utf8"),
    pageStyle: styleSheets.map((name) => readFileSync(here(name), "utf8")).join(""),
  };
  for (const [name, text] of Object.entries(texts)) {
    if (/<\/s(cript|tyle)|<!--/i.test(text)) {
      throw new Error(`report/page/: ${name} holds </script, </style or <!--; write that text otherwise`);
    }
  }
  return texts;
}

let made: PageTexts | undefined;

/** The texts, made once. @throws {Error} where a text would end its enclosing element */
export function pageTexts(): PageTexts {
  made ??= makeTexts();
  return made;
}
