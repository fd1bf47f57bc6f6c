/** Ends processes that a run left behind, once the run is gone and thus this program's stdin is closed. */
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { endAll } from "./left-behind.ts";

const [directory = ""] = process.argv.slice(2);
await text(process.stdin);
if (existsSync(directory)) await endAll(directory, 5);
