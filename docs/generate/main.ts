/** `npm run reference`: writes the pages of `docs/reference/`, and the script of the report's page. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { liveScriptModule } from "./live-script.ts";
import { referencePages } from "./reference.ts";

const directory = fileURLToPath(new URL("../reference/", import.meta.url));
mkdirSync(directory, { recursive: true });
for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(`${directory}${name}`, text);
  console.log(`docs/reference/${name}`);
}

const script = "report/page/live.generated.ts";
writeFileSync(fileURLToPath(new URL(`../../${script}`, import.meta.url)), await liveScriptModule());
console.log(script);
