/**
 * Bundles the texts of the report's page: a script from `report/page/live.ts`, `page.js`, and the style sheets. They become
 * modules, since making a report uses no bundler and reads no files.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Modules of generated text, by their path in the project. */
export async function pageTextModules(): Promise<Record<string, string>> {
  return {
    "report/page/live.generated.ts": textModule("live.ts", { liveScript: await liveScript() }),
    "report/page/texts.generated.ts": textModule(["page.js", ...styleSheets].join(", "), {
      pageScript: source("page.js"),
      pageStyle: styleSheets.map(source).join(""),
    }),
  };
}

const styleSheets = ["colours.css", "page.css", "content.css", "windows.css"];

const source = (name: string) => readFileSync(`${root}report/page/${name}`, "utf8");

async function liveScript(): Promise<string> {
  const bundle = await rolldown({ cwd: root, input: "report/page/live.ts", platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "egressAnswer", minify: true });
  await bundle.close();
  return output[0].code.trim();
}

/** @throws If a text would end its enclosing element. */
function textModule(sources: string, texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).map(([name, text]) => {
    if (/<\/s(cript|tyle)|<!--/i.test(text)) {
      throw new Error(
        `report/page/: ${name}, of ${sources}, holds </script, </style or <!--; write that text otherwise`,
      );
    }
    return `export const ${name} = ${JSON.stringify(text)};\n`;
  });
  return `/** Made by \`npm run reference\` from \`${sources}\`; do not edit. */\n${lines.join("")}`;
}
