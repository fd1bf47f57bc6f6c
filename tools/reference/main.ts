/** `npm run reference`: writes the pages of `docs/reference/`, and the agent's contract. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contractText } from "../../bench/agent/contract.ts";
import { referencePages } from "./reference.ts";

const directory = fileURLToPath(new URL("../../docs/reference/", import.meta.url));
mkdirSync(directory, { recursive: true });
for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(`${directory}${name}`, text);
  console.log(`docs/reference/${name}`);
}

writeFileSync(fileURLToPath(new URL("../../agent/contract.json", import.meta.url)), contractText());
console.log("agent/contract.json");
