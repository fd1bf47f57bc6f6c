/** `npm run reference`: writes the pages of `docs/reference/`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { referencePages } from "./reference.ts";

const directory = fileURLToPath(new URL("../reference/", import.meta.url));
mkdirSync(directory, { recursive: true });
for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(`${directory}${name}`, text);
  console.log(`docs/reference/${name}`);
}
