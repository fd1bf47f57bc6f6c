/** `npm run reference`: writes the pages of `docs/reference/`, the texts of the report's page, and the agent's contract. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contractText } from "../../bench/agent/contract.ts";
import { pageTextModules } from "./page-texts.ts";
import { referencePages } from "./reference.ts";

const directory = fileURLToPath(new URL("../../docs/reference/", import.meta.url));
mkdirSync(directory, { recursive: true });
for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(`${directory}${name}`, text);
  console.log(`docs/reference/${name}`);
}

const modules = { ...(await pageTextModules()), "agent/contract.json": contractText() };
for (const [path, text] of Object.entries(modules)) {
  writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text);
  console.log(path);
}
