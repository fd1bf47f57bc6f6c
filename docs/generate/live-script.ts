/**
 * The script that the report's page carries, bundled from `report/page/live.ts`: a report is made where no bundler is.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The module `report/page/live.generated.ts`. */
export async function liveScriptModule(): Promise<string> {
  const bundle = await rolldown({ cwd: root, input: "report/page/live.ts", platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "egressAnswer", minify: true });
  await bundle.close();
  const code = output[0].code.trim();
  // The text stands between script tags, which nothing in it may end.
  if (/<\/script|<!--/i.test(code)) {
    throw new Error("report/page/live.ts: its bundle holds </script or <!--; write that text otherwise");
  }
  return `/** Made by \`npm run reference\` from \`live.ts\`; do not edit. */\nexport const liveScript = ${JSON.stringify(code)};\n`;
}
